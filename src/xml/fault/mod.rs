//! The words for each fault. A function a fault; what it needs to know are its arguments.

pub(super) mod attribute;
pub(super) mod bounds;
pub(super) mod bytes;
pub(super) mod outside;
pub(super) mod tag;

mod quote;

use quote::{quoted, quoted_at};
