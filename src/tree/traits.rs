//! What the engine asks of a node at every visit, a bit each.

/// A set of yes and no. Several can be asked in one look, which is why they share a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traits(u8);

impl Traits {
    /// It has conditions or scripts of its own.
    pub const GUARDED: Self = Self(1);
    /// It can be passed by while it is running and nothing happened to what is below it.
    pub const QUIET: Self = Self(2);
    /// A visit depends on keys alone, comes to its end at once, and does nothing else.
    pub const PURE: Self = Self(4);
    /// Its parent is a decorator, which resets it as soon as it has a verdict.
    pub const DECORATED: Self = Self(8);

    /// None of them.
    pub const NONE: Self = Self(0);

    /// Either of two sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These, if so; else none.
    #[must_use]
    pub const fn when(self, so: bool) -> Self {
        if so { self } else { Self::NONE }
    }

    /// Whether one of these is among them.
    #[inline(always)]
    pub const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }
}
