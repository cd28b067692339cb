//! What is kept of a parsed file: its definitions and every place that names something.

use crate::tools::code::kind::ReferenceKind;

/// The names in one file. The source text is not kept.
#[derive(Debug, Default)]
pub struct FileTags {
    /// The definitions, in the order of their names' places.
    pub definitions: Vec<Definition>,
    /// Every distinct name.
    pub names: Vec<Box<str>>,
    /// Every place of a name, in order.
    pub occurrences: Vec<Occurrence>,
    /// Whether parsing was given up, so that the file has no tags for a reason of time.
    pub given_up: bool,
}

/// A definition.
#[derive(Debug)]
pub struct Definition {
    /// The name.
    pub name: Box<str>,
    /// `function`, `struct`, ...
    pub kind: &'static str,
    /// Bytes of the whole definition.
    pub start: u32,
    /// The byte after it.
    pub end: u32,
    /// The line of the name, from 1.
    pub line: u32,
    /// The column of the name, in characters from 1.
    pub column: u32,
    /// The definition up to its body, on one line.
    pub signature: Box<str>,
    /// The comment or docstring that belongs to it.
    pub doc: Option<Box<str>>,
    /// The type, trait, class or module that it belongs to.
    pub container: Option<Box<str>>,
    /// Whether it only declares what is defined elsewhere: a prototype, `mod name;`.
    pub is_declaration: bool,
}

/// A place where a name stands as code.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence {
    /// Index into [`FileTags::names`].
    pub name: u32,
    /// Offset of its first byte.
    pub start: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, in characters from 1.
    pub column: u32,
    /// What the name does there.
    pub kind: ReferenceKind,
}

impl FileTags {
    /// The index of a name.
    pub fn name(&self, name: &str) -> Option<u32> {
        let at = self.names.iter().position(|known| **known == *name)?;
        u32::try_from(at).ok()
    }

    /// The innermost definition around a byte. `definitions` are few enough to be looked through.
    pub fn enclosing(&self, byte: u32) -> Option<&Definition> {
        (self.definitions.iter())
            .filter(|definition| definition.start <= byte && byte < definition.end)
            .min_by_key(|definition| definition.end - definition.start)
    }

    /// About how much memory this takes.
    pub fn bytes(&self) -> usize {
        let texts = |definition: &Definition| {
            let optional = |text: &Option<Box<str>>| text.as_ref().map_or(0, |text| text.len());
            definition.name.len()
                + definition.signature.len()
                + optional(&definition.doc)
                + optional(&definition.container)
        };
        size_of::<Self>()
            + self.definitions.iter().map(|each| size_of::<Definition>() + texts(each)).sum::<usize>()
            + self.names.iter().map(|name| size_of::<Box<str>>() + name.len()).sum::<usize>()
            + self.occurrences.len() * size_of::<Occurrence>()
    }
}
