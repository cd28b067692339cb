//! What a text needs to include others.

use crate::loader::{Loader, Location, NoLoader};
use crate::tree::include::{IncludeLimits, Sources};

/// Where a tree's main text lies, who finds the texts that it includes, and under which bounds.
#[derive(Clone, Debug)]
pub struct Includes<'l> {
    pub(super) loader: &'l dyn Loader,
    pub(super) from: Location,
    pub(super) limits: IncludeLimits,
}

impl<'l> Includes<'l> {
    /// The texts that `loader` has, for a main text that lies at `from`.
    pub fn new(loader: &'l dyn Loader, from: Location) -> Self {
        Self { loader, from, limits: IncludeLimits::default() }
    }

    /// The same under other bounds.
    #[must_use]
    pub fn limits(mut self, limits: IncludeLimits) -> Self {
        self.limits = limits;
        self
    }

    /// For a text that lies nowhere: every include of it is a fault.
    pub fn none() -> Self {
        Self::new(&NoLoader, Location::default())
    }

    /// The texts that were loaded before.
    pub fn recorded(sources: &'l Sources) -> Self {
        Self::new(sources, sources.location(0)).limits(IncludeLimits::NONE)
    }
}
