//! Diagnostics: what is wrong with a text, where, why, and what to do next.
//!
//! A fault has a stable code. The texts follow one form: the message is a lowercase sentence that
//! says what is wrong, the label stands under the caret, a note says why, the help is the next step.

use std::fmt;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::limits::DIAGNOSTICS_MAX;
use crate::text::{Source, Span};

macro_rules! codes {
    ($($id:ident $slug:literal)*) => {
        /// The stable code of a fault. The number never changes its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(
                #[doc = concat!("`", $slug, "`")]
                $id,
            )*
        }

        impl Code {
            /// Every code, in order.
            pub const ALL: &[Self] = &[$(Self::$id),*];

            /// The code as people write it: `E0107`.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$id => stringify!($id),)* }
            }

            /// The code's name in words: `port_unknown`.
            pub const fn slug(self) -> &'static str {
                match self { $(Self::$id => $slug,)* }
            }
        }
    };
}

codes! {
    E0001 "file_unreadable"
    E0002 "not_utf8"
    E0003 "not_xml"
    E0004 "xml_truncated"
    E0005 "tag_mismatch"
    E0006 "attribute_malformed"
    E0007 "attribute_duplicate"
    E0008 "entity_unknown"
    E0009 "doctype_refused"
    E0010 "xml_too_large"
    E0011 "xml_too_deep"
    E0012 "xml_too_many_attributes"
    E0013 "xml_value_too_long"
    E0014 "document_empty"
    E0015 "character_reference_invalid"
    E0016 "tag_malformed"
    E0101 "root_wrong"
    E0102 "tree_missing"
    E0103 "tree_id_missing"
    E0104 "tree_id_invalid"
    E0105 "tree_child_count"
    E0106 "node_unknown"
    E0107 "port_unknown"
    E0108 "port_missing"
    E0109 "port_value_invalid"
    E0110 "child_count"
    E0111 "subtree_unknown"
    E0112 "subtree_cycle"
    E0113 "subtree_too_deep"
    E0114 "tree_too_large"
    E0115 "attribute_reserved"
    E0116 "main_tree_unknown"
    E0117 "type_clash"
    E0118 "pointer_invalid"
    E0120 "model_invalid"
    E0121 "tool_unknown"
    E0122 "arguments_invalid"
    E0123 "knob_invalid"
    E0125 "include_invalid"
    E0126 "reactive_children"
    E0127 "threshold_too_large"
    E0128 "include_unreadable"
    E0129 "include_outside"
    E0130 "include_circle"
    E0131 "include_too_much"
    E0141 "rules_syntax"
    E0142 "rules_invalid"
    E0143 "rules_target_unknown"
    E0144 "rules_port_missing"
    E0301 "expression_syntax"
    E0302 "expression_too_long"
    E0303 "expression_too_deep"
    E0304 "expression_type"
    E0305 "expression_name_unknown"
    E0401 "key_unknown"
    E0402 "key_value_invalid"
    E0403 "key_missing"
    E0404 "root_unreadable"
    E0405 "vault_unwritable"
    E0406 "record_unwritable"
    E0407 "record_invalid"
    E0408 "argument_invalid"
    E0409 "case_invalid"
    E0410 "code_unknown"
    E0421 "file_unwritable"
    E0422 "rewrite_unsafe"
    E0431 "artifact_unknown"
    E0432 "artifact_ambiguous"
    E0433 "artifact_damaged"
    E0434 "artifact_folder_unusable"
    E0435 "artifact_needed"
    E0436 "artifact_part_unknown"
    E0441 "checkpoint_unknown"
    E0442 "checkpoint_overtaken"
    E0443 "checkpoint_unusable"
    E0451 "metrics_unservable"
    E0501 "tool_manifest_invalid"
    E0601 "manifest_syntax"
    E0602 "manifest_field_unknown"
    E0603 "manifest_field_missing"
    E0604 "manifest_field_invalid"
    E0605 "manifest_command_unusable"
    E0606 "manifest_tool_duplicate"
    E0701 "policy_syntax"
    E0702 "policy_field_unknown"
    E0703 "policy_field_invalid"
    E0704 "policy_glob_invalid"
    W0001 "raw_markup_in_attribute"
    W0002 "attribute_blank_missing"
    W0003 "text_outside_root"
    W0004 "second_root"
    W0005 "entity_kept"
    W0006 "comment_dashes"
    W0007 "raw_markup_in_text"
    W0101 "tree_unused"
    W0102 "format_missing"
    W0103 "duplicate_tree_replaced"
    W0106 "knob_unknown"
    W0107 "script_never_works"
    W0108 "key_type_doubtful"
    W0109 "enum_name_assigned"
    W0110 "model_contradiction"
    W0111 "rules_unused"
    W0201 "v3_meaning_changed"
    W0202 "v3_left_as_is"
    W0401 "artifacts_in_memory"
    W0701 "policy_rule_idle"
}

impl Code {
    /// Whether the fault leaves the text usable.
    pub fn is_warning(self) -> bool {
        self.id().starts_with('W')
    }

    /// The code that people write as `id`, in any case.
    pub fn parse(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.id().eq_ignore_ascii_case(id))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

/// A place in a text, with what is to be said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The text.
    pub source: Arc<Source>,
    /// The place in it.
    pub span: Span,
    /// What is said there; may be empty.
    pub text: String,
}

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// What kind of fault.
    pub code: Code,
    /// What is wrong: a lowercase sentence without a full stop.
    pub message: String,
    /// Where; `None` for a fault that is in no text.
    pub primary: Option<Label>,
    /// Other places that belong to it.
    pub secondary: Vec<Label>,
    /// Why it is wrong.
    pub notes: Vec<String>,
    /// What to do next.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A fault that is in no text.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            notes: Vec::new(),
            help: None,
        }
    }

    /// The same fault, at a place, with what stands under the caret.
    #[must_use]
    pub fn at(mut self, source: &Arc<Source>, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { source: source.clone(), span, text: text.into() });
        self
    }

    /// The same fault with one more place.
    #[must_use]
    pub fn and_at(mut self, source: &Arc<Source>, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { source: source.clone(), span, text: text.into() });
        self
    }

    /// The same fault with a reason.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The same fault with a next step.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The fault drawn for people: the line of the text with carets, the notes and the help.
    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let level = if self.code.is_warning() { Level::WARNING } else { Level::ERROR };
        let title = level.primary_title(&*self.message).id(self.code.id());
        let mut group = Group::with_title(title);
        for snippet in self.snippets() {
            group = group.element(snippet);
        }
        group = self.notes.iter().fold(group, |group, note| group.element(Level::NOTE.message(&**note)));
        if let Some(help) = &self.help {
            group = group.element(Level::HELP.message(&**help));
        }
        renderer.render(&[group])
    }

    /// One snippet a source, the primary one first.
    fn snippets(&self) -> Vec<Snippet<'_, annotate_snippets::Annotation<'_>>> {
        let labels: Vec<_> = (self.primary.iter().map(|label| (label, AnnotationKind::Primary)))
            .chain(self.secondary.iter().map(|label| (label, AnnotationKind::Context)))
            .collect();
        let mut sources: Vec<&Arc<Source>> = Vec::new();
        for (label, _) in &labels {
            if !sources.iter().any(|source| Arc::ptr_eq(source, &label.source)) {
                sources.push(&label.source);
            }
        }
        (sources.into_iter())
            .map(|source| {
                let here = labels.iter().filter(|(label, _)| Arc::ptr_eq(&label.source, source));
                Snippet::source(&**source.text())
                    .path(&**source.name())
                    .annotations(here.map(|(label, kind)| kind.span(clamp(label)).label(&*label.text)))
            })
            .collect()
    }

    /// The fault as JSON for programs.
    pub fn to_json(&self) -> serde_json::Value {
        let place = |label: &Label| {
            let start = label.source.position(label.span.start);
            let end = label.source.position(label.span.end);
            serde_json::json!({
                "file": &**label.source.name(),
                "line": start.line, "column": start.column,
                "end_line": end.line, "end_column": end.column,
                "bytes": [label.span.start, label.span.end],
                "text": label.text,
            })
        };
        serde_json::json!({
            "code": self.code.id(),
            "name": self.code.slug(),
            "severity": if self.code.is_warning() { "warning" } else { "error" },
            "message": self.message,
            "place": self.primary.as_ref().map(place),
            "related": self.secondary.iter().map(place).collect::<Vec<_>>(),
            "notes": self.notes,
            "help": self.help,
        })
    }
}

/// A span that the renderer can draw: inside the text, on character borders.
fn clamp(label: &Label) -> std::ops::Range<usize> {
    let text = label.source.text();
    let border = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    border(label.span.range().start)..border(label.span.range().end)
}

impl fmt::Display for Diagnostic {
    /// One line: `trees/a.xml:3:7: E0107 unknown port ...`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(label) = &self.primary {
            write!(f, "{}:{}: ", label.source.name(), label.source.position(label.span.start))?;
        }
        write!(f, "{} {}", self.code, self.message)?;
        if let Some(help) = &self.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}

/// All faults of a text, in the order they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    kept: Vec<Diagnostic>,
    dropped: usize,
    dropped_errors: bool,
}

impl Diagnostics {
    /// No fault yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps a fault; past [`DIAGNOSTICS_MAX`] it is only counted.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if self.kept.len() < DIAGNOSTICS_MAX {
            self.kept.push(diagnostic);
        } else {
            self.dropped += 1;
            self.dropped_errors |= !diagnostic.code.is_warning();
        }
    }

    /// Keeps the faults of another text too.
    pub fn extend(&mut self, other: Self) {
        self.dropped += other.dropped;
        self.dropped_errors |= other.dropped_errors;
        other.kept.into_iter().for_each(|diagnostic| self.push(diagnostic));
    }

    /// The faults that were kept.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.kept.iter()
    }

    /// How many faults were found past the bound.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    /// Whether nothing at all was found.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether something was found that makes the text unusable.
    pub fn has_errors(&self) -> bool {
        self.dropped_errors || self.kept.iter().any(|diagnostic| !diagnostic.code.is_warning())
    }

    /// Sorts by file and place, keeping the order of faults at one place.
    pub fn sort(&mut self) {
        self.kept.sort_by_key(|diagnostic| {
            diagnostic.primary.as_ref().map(|label| (label.source.name().clone(), label.span.start))
        });
    }

    /// All faults drawn for people, a blank line between two.
    pub fn render(&self, colour: bool) -> String {
        let mut drawn: Vec<_> = self.kept.iter().map(|diagnostic| diagnostic.render(colour)).collect();
        if self.dropped > 0 {
            drawn.push(format!("... and {} more faults, not shown", self.dropped));
        }
        drawn.join("\n\n")
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self { kept: vec![diagnostic], ..Self::default() }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

impl std::error::Error for Diagnostics {}

/// The name among `known` that a person most likely meant by `typed`; `None` when none is near.
pub fn did_you_mean<'k>(typed: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lower = typed.to_lowercase();
    (known.into_iter())
        .map(|name| (strsim::damerau_levenshtein(&lower, &name.to_lowercase()), name))
        .filter(|&(distance, name)| distance <= typed.len().max(name.len()) / 3)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}
