//! Asking a person at the terminal whether a call may run.
//!
//! | file | noun |
//! |---|---|
//! | `question` | the question as lines: who, what, the difference |
//! | `terminal` | where it is asked: a trait, and the terminal itself |
//! | `person` | the approver: asks and understands the answer |
//! | `bystander` | who answers where nobody is asked: Helve's own folder, no terminal |

mod bystander;
mod person;
mod question;
mod terminal;

pub(super) use bystander::{NobodyThere, OwnFolder};
pub(super) use person::Person;
pub(super) use question::paint_diff;
pub(super) use terminal::{Tty, is_there};
