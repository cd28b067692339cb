//! The functions of the language.

use crate::diag::did_you_mean;

/// A function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Size,
    Has,
    Contains,
    Matches,
    StartsWith,
    EndsWith,
}

impl Function {
    pub(super) const ALL: [Self; 6] =
        [Self::Size, Self::Has, Self::Contains, Self::Matches, Self::StartsWith, Self::EndsWith];

    /// The function's name.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Has => "has",
            Self::Contains => "contains",
            Self::Matches => "matches",
            Self::StartsWith => "starts_with",
            Self::EndsWith => "ends_with",
        }
    }

    /// How it is called, for help texts.
    pub(super) const fn usage(self) -> &'static str {
        match self {
            Self::Size => "size(value)",
            Self::Has => "has(name.path)",
            Self::Contains => "contains(where, what)",
            Self::Matches => "matches(text, 'pattern')",
            Self::StartsWith => "starts_with(text, start)",
            Self::EndsWith => "ends_with(text, end)",
        }
    }

    /// How many arguments it takes.
    pub(super) const fn arity(self) -> usize {
        match self {
            Self::Size | Self::Has => 1,
            Self::Contains | Self::Matches | Self::StartsWith | Self::EndsWith => 2,
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// The function that a person most likely meant: by the names that other languages use, then
    /// by spelling.
    pub(super) fn near(name: &str) -> Option<Self> {
        match &*name.to_lowercase() {
            "len" | "length" | "count" | "strlen" => Some(Self::Size),
            "exists" | "exist" | "defined" | "is_set" => Some(Self::Has),
            "includes" | "include" | "any" | "in" => Some(Self::Contains),
            "regex" | "match" | "test" | "glob" | "like" => Some(Self::Matches),
            "startswith" | "prefix" => Some(Self::StartsWith),
            "endswith" | "suffix" => Some(Self::EndsWith),
            other => did_you_mean(other, Self::ALL.map(Self::name)).and_then(Self::parse),
        }
    }
}
