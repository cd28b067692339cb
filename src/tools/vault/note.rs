//! A note: its text taken apart.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::tool::ToolError;
use crate::tools::vault::front_matter;
use crate::tools::vault::note_path::NotePath;

/// What a note says of itself, and what can be said of its file.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Metadata {
    /// The front matter's title, or else the first heading, or else the file's name.
    pub title: String,
    /// The front matter's tags, without `#`.
    pub tags: Vec<String>,
    /// When the note was made, as its front matter has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<String>,
    /// When the note was last changed, as its front matter has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<String>,
    /// The whole front matter.
    pub front_matter: Map<String, Json>,
    /// Why the front matter could not be read, when it could not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front_matter_fault: Option<String>,
    /// A hash of the file's content: it differs when the note changed.
    pub hash: String,
    /// The size of the file.
    pub size_bytes: usize,
}

/// A note, read.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Note {
    pub(super) body: String,
    pub(super) metadata: Metadata,
}

impl Note {
    /// Takes the file of the note at `path` apart.
    ///
    /// # Errors
    /// When it is not UTF-8; malformed front matter is none, the metadata says so.
    pub(super) fn read(path: &NotePath, content: Vec<u8>) -> Result<Self, ToolError> {
        let hash = hash(&content);
        let text = utf8(path, content)?;
        let parts = front_matter::split(&text);
        let (front_matter, front_matter_fault) = match front_matter::parse(parts.block.unwrap_or_default()) {
            Ok(values) => (values, None),
            Err(fault) => (Map::new(), Some(fault)),
        };
        let metadata = Metadata {
            title: title(&front_matter, parts.body, path),
            tags: tags(front_matter.get("tags")),
            created: front_matter.get("created").and_then(scalar),
            updated: front_matter.get("updated").and_then(scalar),
            front_matter,
            front_matter_fault,
            hash,
            size_bytes: text.len(),
        };
        Ok(Self { body: parts.body.to_owned(), metadata })
    }
}

/// The first 16 hex digits of the BLAKE3 hash: 64 bits tell a changed note, and fit on a line.
pub(super) fn hash(content: &[u8]) -> String {
    blake3::hash(content).to_hex()[..16].to_owned()
}

/// The text of the note at `path`.
pub(super) fn utf8(path: &NotePath, content: Vec<u8>) -> Result<String, ToolError> {
    String::from_utf8(content).map_err(|fault| {
        let at = fault.utf8_error().valid_up_to();
        let byte = fault.as_bytes().get(at).copied().unwrap_or_default();
        ToolError::resource(format!("the note `{path}` is not UTF-8: byte 0x{byte:02x} at offset {at}"))
            .suggest("Convert the file to UTF-8.")
    })
}

fn title(front_matter: &Map<String, Json>, body: &str, path: &NotePath) -> String {
    let named = front_matter.get("title").and_then(scalar).filter(|title| !title.trim().is_empty());
    named.or_else(|| first_heading(body)).unwrap_or_else(|| path.stem().to_owned())
}

/// The text of the first heading that has any. Reading stops there.
fn first_heading(body: &str) -> Option<String> {
    let mut heading: Option<String> = None;
    for event in Parser::new(body) {
        match (event, &mut heading) {
            (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
            (Event::Text(text) | Event::Code(text), Some(words)) => words.push_str(&text),
            (Event::SoftBreak | Event::HardBreak, Some(words)) => words.push(' '),
            (Event::End(TagEnd::Heading(_)), _) => match heading.take() {
                Some(words) if !words.trim().is_empty() => return Some(words.trim().to_owned()),
                _ => {}
            },
            _ => {}
        }
    }
    None
}

/// A list of tags, or one text with commas or spaces between them.
fn tags(value: Option<&Json>) -> Vec<String> {
    let tags: Vec<String> = match value {
        Some(Json::Array(tags)) => tags.iter().filter_map(scalar).collect(),
        Some(Json::String(tags)) => {
            tags.split(|c: char| c == ',' || c.is_whitespace()).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    };
    let bare = tags.iter().map(|tag| tag.trim().trim_start_matches('#').to_owned());
    bare.filter(|tag| !tag.is_empty()).collect()
}

fn scalar(value: &Json) -> Option<String> {
    match value {
        Json::String(text) => Some(text.clone()),
        Json::Number(number) => Some(number.to_string()),
        Json::Bool(flag) => Some(flag.to_string()),
        Json::Null | Json::Array(_) | Json::Object(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Note {
        Note::read(&NotePath::parse("notes/The file").unwrap(), text.into()).unwrap()
    }

    #[test]
    fn titles_come_from_the_nearest_place() {
        let rows = [
            ("---\ntitle: Front\n---\n# Head", "Front"),
            ("---\ntitle: 2026\n---\n", "2026"),
            ("---\ntitle: ''\n---\ntext\n\n# Head `code` *it*\n\n# More", "Head code it"),
            ("```\n# no heading\n```\n\nUnder\n=====\n", "Under"),
            ("#\n\n## Second\n", "Second"),
            ("only text", "The file"),
            ("---\ntitle: [broken\n---\n# Head", "Head"),
        ];
        for (text, title) in rows {
            assert_eq!(read(text).metadata.title, title, "{text:?}");
        }
    }

    #[test]
    fn tags_are_lists_or_words() {
        for text in ["tags: [a, '#b']", "tags:\n- a\n- b", "tags: a, b", "tags: '#a #b'"] {
            assert_eq!(read(&format!("---\n{text}\n---\n")).metadata.tags, ["a", "b"], "{text:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_named() {
        let fault = Note::read(&NotePath::parse("a").unwrap(), b"ab\xffc".to_vec()).unwrap_err();
        assert!(fault.message().contains("0xff at offset 2"), "{fault}");
    }
}
