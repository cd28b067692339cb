//! The text of a manifest as nodes, each with its place: one form for both notations.

mod json;
mod node;
mod toml;

pub(super) use json::read as read_json;
pub(super) use node::{Data, Member, Node};
pub(super) use toml::read as read_toml;
