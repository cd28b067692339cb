//! The operators and how tightly they bind.

/// How tightly a row of operators binds; a later level binds tighter.
///
/// The order is the dialect's: the bit operators bind tighter than comparisons, unlike in C, so
/// `1 | 2 == 3` is `(1 | 2) == 3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Assign,
    Ternary,
    Or,
    And,
    Compare,
    BitOr,
    BitAnd,
    Sum,
    Product,
    Unary,
    Primary,
}

impl Level {
    /// The level of an operand to the right of an operator of this level.
    pub(super) const fn tighter(self) -> Self {
        match self {
            Self::Assign => Self::Ternary,
            Self::Ternary => Self::Or,
            Self::Or => Self::And,
            Self::And => Self::Compare,
            Self::Compare => Self::BitOr,
            Self::BitOr => Self::BitAnd,
            Self::BitAnd => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product => Self::Unary,
            Self::Unary | Self::Primary => Self::Primary,
        }
    }
}

macro_rules! signs {
    ($(#[$doc:meta])* $name:ident { $($variant:ident $sign:literal)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum $name { $($variant),* }

        impl $name {
            /// The operator that is written so.
            pub(super) fn parse(sign: &str) -> Option<Self> {
                match sign { $($sign => Some(Self::$variant),)* _ => None }
            }

            /// How it is written.
            pub(super) const fn sign(self) -> &'static str {
                match self { $(Self::$variant => $sign),* }
            }
        }
    };
}

signs! {
    /// An operator between two operands.
    Binary {
        Or "||" And "&&"
        Equal "==" Unequal "!=" Less "<" Greater ">" AtMost "<=" AtLeast ">="
        BitOr "|" BitXor "^" BitAnd "&"
        Add "+" Subtract "-" Concat ".."
        Multiply "*" Divide "/"
    }
}

signs! {
    /// An operator before its operand.
    Unary { Minus "-" Not "!" Complement "~" }
}

signs! {
    /// An assignment.
    Assigner { Create ":=" Set "=" Add "+=" Subtract "-=" Multiply "*=" Divide "/=" }
}

impl Binary {
    /// How tightly it binds.
    pub(super) const fn level(self) -> Level {
        match self {
            Self::Or => Level::Or,
            Self::And => Level::And,
            Self::Equal | Self::Unequal => Level::Compare,
            Self::Less | Self::Greater | Self::AtMost | Self::AtLeast => Level::Compare,
            Self::BitOr | Self::BitXor => Level::BitOr,
            Self::BitAnd => Level::BitAnd,
            Self::Add | Self::Subtract | Self::Concat => Level::Sum,
            Self::Multiply | Self::Divide => Level::Product,
        }
    }

    /// What it does to its operands, for an error text: "cannot {verb}".
    pub(super) const fn verb(self) -> &'static str {
        match self {
            Self::Or | Self::And => "combine as conditions",
            Self::Equal | Self::Unequal => "compare",
            Self::Less | Self::Greater | Self::AtMost | Self::AtLeast => "put in order",
            Self::BitOr | Self::BitXor | Self::BitAnd => "combine bits of",
            Self::Add => "add",
            Self::Subtract => "subtract",
            Self::Concat => "join as text",
            Self::Multiply => "multiply",
            Self::Divide => "divide",
        }
    }
}

impl Assigner {
    /// The operator inside `+=` and its kin.
    pub(super) const fn compound(self) -> Option<Binary> {
        match self {
            Self::Create | Self::Set => None,
            Self::Add => Some(Binary::Add),
            Self::Subtract => Some(Binary::Subtract),
            Self::Multiply => Some(Binary::Multiply),
            Self::Divide => Some(Binary::Divide),
        }
    }
}
