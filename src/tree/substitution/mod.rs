//! Rules that put other leaves in the place of a tree's own, for a run without its tools.
#![doc = include_str!("../../docs/testing_plans.md")]

mod pattern;
mod read;
mod replace;
mod rules;

pub(super) use replace::Replacing;
pub use replace::{Substituted, TestNode};
pub use rules::Substitutions;
