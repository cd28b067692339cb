//! `+ - * / .. & | ^` of any operands.

use std::fmt::Write as _;

use super::number::arithmetic;
use super::operand::{Operand, Text};
use super::operator::Binary;
use super::trip::Why;
use super::weight::Steps;
use crate::value::Value;

/// The result of an operator that makes a value.
pub(super) fn combine(
    steps: &Steps,
    operator: Binary,
    left: &Operand<'_>,
    right: &Operand<'_>,
) -> Result<Operand<'static>, Why> {
    if operator != Binary::Concat
        && let (Some(left), Some(right)) = (left.number(), right.number())
    {
        return arithmetic(operator, left, right).map(Operand::computed);
    }
    let is_text = |operand: &Operand<'_>| matches!(operand, Operand::Text(_));
    let is_spelled = |operand: &Operand<'_>| is_text(operand) || operand.number().is_some();
    let joins = match operator {
        Binary::Add => is_text(left) && is_text(right),
        Binary::Concat => (is_text(left) || is_text(right)) && is_spelled(left) && is_spelled(right),
        _ => false,
    };
    if joins { join(steps, left, right) } else { Err(Why::Operands(operator, left.kind(), right.kind())) }
}

fn join(steps: &Steps, left: &Operand<'_>, right: &Operand<'_>) -> Result<Operand<'static>, Why> {
    let mut joined = String::new();
    for side in [left, right] {
        if let Operand::Text(text) = side {
            steps.pay_bytes(text.as_str().len())?;
        }
        spell(&mut joined, side);
    }
    Ok(Operand::Text(Text::Made(joined.into())))
}

/// Writes a text or a number as `..` does: an integer plainly, a double with six digits.
fn spell(out: &mut String, operand: &Operand<'_>) {
    let written = match operand {
        Operand::Text(text) => out.write_str(text.as_str()),
        Operand::Int(int) => write!(out, "{int}"),
        Operand::Bool(flag) => write!(out, "{}", u8::from(*flag)),
        other => match other.clone().into_value() {
            Value::Real(real) => write!(out, "{real:.6}"),
            value => write!(out, "{value}"),
        },
    };
    written.expect("writing to a String cannot fail");
}
