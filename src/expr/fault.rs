//! What can be wrong: with a text when it is read, with values when it runs.

use std::fmt;
use std::ops::Range;

use crate::diag::Code;
use crate::text::Span;

/// What kind of fault a text has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// It does not follow the grammar.
    Syntax,
    /// It is longer than [`EXPR_BYTES_MAX`](crate::limits::EXPR_BYTES_MAX).
    TooLong,
    /// It nests deeper than [`EXPR_DEPTH_MAX`](crate::limits::EXPR_DEPTH_MAX).
    TooDeep,
    /// It asks for something that its kinds of values can never give.
    Type,
}

impl FaultKind {
    /// The code of the diagnostic that shows it.
    pub const fn code(self) -> Code {
        match self {
            Self::Syntax => Code::E0301,
            Self::TooLong => Code::E0302,
            Self::TooDeep => Code::E0303,
            Self::Type => Code::E0304,
        }
    }
}

/// A fault found when a text is read or checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The bytes of the text that it is about.
    pub span: Range<usize>,
    /// What kind of fault.
    pub kind: FaultKind,
    /// What is wrong: a lowercase sentence without a full stop.
    pub message: String,
    /// What stands under the caret.
    pub label: String,
    /// What to do next.
    pub help: Option<String>,
}

impl Fault {
    pub(super) fn new(kind: FaultKind, span: Span, message: impl Into<String>) -> Self {
        Self { span: span.range(), kind, message: message.into(), label: String::new(), help: None }
    }

    pub(super) fn syntax(span: Span, message: impl Into<String>) -> Self {
        Self::new(FaultKind::Syntax, span, message)
    }

    #[must_use]
    pub(super) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    #[must_use]
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.message, self.span.start)?;
        self.help.iter().try_for_each(|help| write!(f, " ({help})"))
    }
}

impl std::error::Error for Fault {}

/// A fault met while a script runs. A predicate meets none: see [`Program::explain`].
///
/// [`Program::explain`]: super::Program::explain
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalFault {
    /// The bytes of the text that could not be evaluated.
    pub span: Range<usize>,
    /// What is wrong: a lowercase sentence without a full stop.
    pub message: String,
    /// What to do next.
    pub help: Option<String>,
}

impl fmt::Display for EvalFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help.iter().try_for_each(|help| write!(f, " ({help})"))
    }
}

impl std::error::Error for EvalFault {}
