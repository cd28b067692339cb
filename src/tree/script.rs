//! Scripts with their names resolved.

use std::sync::Arc;

use crate::expr::Program;
use crate::id::SlotId;

/// A script with its names resolved.
#[derive(Clone, Debug)]
pub struct Script {
    /// The program.
    pub program: Arc<Program>,
    /// What each of its names stands for.
    pub names: Arc<[ScriptName]>,
}

/// What a name of a script stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptName {
    /// The key, which is written.
    pub slot: SlotId,
    /// The number of the enum of that name, which is read in the key's place.
    pub number: Option<i64>,
}

impl Script {
    /// The slot of each of its names.
    pub fn slots(&self) -> impl Iterator<Item = SlotId> + '_ {
        self.names.iter().map(|name| name.slot)
    }
}
