//! How much of its allowance an evaluation has used.
//!
//! The nodes of a program are bounded by its text and each is visited once, so they are paid in
//! advance. What remains is spent on values: their items, and their bytes that are looked at or
//! made. So no evaluation makes more than about 128 MB, however often a script doubles a value.

use std::cell::Cell;

use serde_json::Value as Json;

use super::operand::{Operand, Text, Tree};
use super::trip::Why;
use crate::limits::{EXPR_BYTES_PER_STEP, EXPR_DEPTH_MAX, EXPR_EXPLAIN_EVALUATIONS_MAX, EXPR_STEPS_MAX};
use crate::value::Value;

/// The steps that an evaluation may still take.
#[derive(Debug)]
pub(super) struct Steps(Cell<u64>);

impl Steps {
    /// The allowance of a program of so many nodes: no more than a text may have bytes, which
    /// `limits` holds against the steps.
    #[inline]
    pub(super) fn of(nodes: usize) -> Self {
        Self(Cell::new(EXPR_STEPS_MAX - nodes as u64))
    }

    /// The allowance of an explanation, which evaluates some parts more than once.
    pub(super) fn of_explanation() -> Self {
        Self(Cell::new(EXPR_STEPS_MAX * EXPR_EXPLAIN_EVALUATIONS_MAX))
    }

    /// Pays for so many items.
    #[inline]
    pub(super) fn pay(&self, steps: usize) -> Result<(), Why> {
        let left = self.0.get().checked_sub(steps as u64).ok_or(Why::TooManySteps)?;
        self.0.set(left);
        Ok(())
    }

    /// Pays for bytes that are looked at or made.
    #[inline]
    pub(super) fn pay_bytes(&self, bytes: usize) -> Result<(), Why> {
        self.pay(bytes / EXPR_BYTES_PER_STEP)
    }

    /// The value of an operand for the board, its copy paid for.
    #[inline]
    pub(super) fn keep(&self, operand: Operand<'_>) -> Result<Value, Why> {
        self.pay_copy(&operand)?;
        Ok(operand.into_value())
    }

    /// The operand as an item of a list, its copy paid for.
    pub(super) fn keep_item(&self, operand: Operand<'_>) -> Result<Json, Why> {
        match &operand {
            Operand::Json(tree) => self.weigh(tree.as_json(), 0)?,
            Operand::Text(text) => self.pay_bytes(text.as_str().len())?,
            _ => {}
        }
        Ok(operand.into_json())
    }

    /// Pays for the copy that [`keep`](Self::keep) makes.
    #[inline]
    pub(super) fn pay_copy(&self, operand: &Operand<'_>) -> Result<(), Why> {
        match operand {
            Operand::Json(Tree::Part(json)) => self.weigh(json, 0),
            Operand::Text(Text::Part(text)) => self.pay_bytes(text.len()),
            _ => Ok(()),
        }
    }

    fn weigh(&self, json: &Json, depth: usize) -> Result<(), Why> {
        if depth > EXPR_DEPTH_MAX {
            return Err(Why::TooDeep);
        }
        match json {
            Json::Array(items) => {
                self.pay(items.len())?;
                items.iter().try_for_each(|item| self.weigh(item, depth + 1))
            }
            Json::Object(members) => {
                self.pay(members.len())?;
                members.iter().try_for_each(|(name, member)| {
                    self.pay_bytes(name.len())?;
                    self.weigh(member, depth + 1)
                })
            }
            Json::String(text) => self.pay_bytes(text.len()),
            _ => Ok(()),
        }
    }
}
