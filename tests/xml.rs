//! The XML reader against golden files, hostile bytes and great depth.
//!
//! `tests/data/xml/ok/*.xml` read to a document, drawn in the `.txt` beside each with the warnings
//! below; `tests/data/xml/err/*.xml` have errors, which are the `.txt`. A comment
//! `<!-- limits depth=3 -->` sets bounds. `HELVE_UPDATE=1` writes the `.txt` files anew;
//! `HELVE_FUZZ=100000` tries that many hostile inputs.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use helve::diag::{Code, Diagnostics};
use helve::limits::XML_ERRORS_MAX;
use helve::text::{Source, Span};
use helve::xml::{Document, Element, Item, XmlLimits, read, source_from_bytes};
use proptest::prelude::*;

#[path = "rig/fuzz.rs"]
mod fuzz;
#[path = "rig/mutate.rs"]
mod mutate;

use mutate::mutated;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/xml");

fn files(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<_> = (std::fs::read_dir(Path::new(DATA).join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "xml"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no files in {folder}");
    files
}

/// The bounds that a file asks for in a comment.
fn limits_in(bytes: &[u8]) -> XmlLimits {
    let mut limits = XmlLimits::default();
    let text = String::from_utf8_lossy(bytes);
    let settings = text.split_once("<!-- limits ").and_then(|(_, rest)| rest.split_once(" -->"));
    for setting in settings.map(|(settings, _)| settings).unwrap_or_default().split_whitespace() {
        let (name, value) = setting.split_once('=').unwrap();
        let field = match name {
            "bytes" => &mut limits.bytes,
            "depth" => &mut limits.depth,
            "elements" => &mut limits.elements,
            "attributes" => &mut limits.attributes,
            "value_bytes" => &mut limits.value_bytes,
            "text_bytes" => &mut limits.text_bytes,
            _ => panic!("unknown limit {name}"),
        };
        *field = value.parse().unwrap();
    }
    limits
}

fn read_bytes(name: &str, bytes: Vec<u8>, limits: &XmlLimits) -> (Option<Document>, Diagnostics) {
    match source_from_bytes(name, bytes) {
        Ok(source) => read(&source, limits),
        Err(fault) => (None, fault.into()),
    }
}

/// Everything in the document, one thing a line, indented by depth.
fn draw(document: &Document) -> String {
    let (mut out, mut depth) = (String::new(), 0);
    for item in document.items() {
        let text = document.source().slice(item.span());
        match item {
            Item::Open(element) => {
                let comments = element.comments().count();
                let about = if comments > 0 { format!("   ({comments} comments)") } else { String::new() };
                let attributes: String = element.attributes().map(|a| format!(" {a:?}")).collect();
                writeln!(out, "{}{}{attributes}{about}", "  ".repeat(depth), element.name()).unwrap();
                depth += 1;
            }
            Item::Close(_) => depth -= 1,
            other => {
                let kind = format!("{other:?}");
                let kind = kind.split('(').next().unwrap();
                writeln!(out, "{}# {kind} {text:?}", "  ".repeat(depth)).unwrap();
            }
        }
    }
    assert_eq!(depth, 0, "every element is closed");
    out
}

/// What must hold of any document, whatever the bytes were.
fn hold(document: &Document) {
    let source = document.source();
    let text = |span: Span| source.text().get(span.range()).expect("a span lies on character borders");
    for element in document.elements() {
        hold_element(element, &text);
    }
    let children: usize = document.elements().map(|element| element.children().count()).sum();
    assert_eq!(children + 1, document.len(), "every element but the root is somebody's child");
    let mut at = 0;
    for item in document.items() {
        assert!(item.span().start >= at, "items come in order: {item:?}");
        assert!(text(item.span()).len() == item.span().len());
        at = item.span().end;
    }
    let opened = document.items().filter(|item| matches!(item, Item::Open(_))).count();
    let closed = document.items().filter(|item| matches!(item, Item::Close(_))).count();
    assert_eq!((opened, closed), (document.len(), document.len()));
}

fn hold_element<'d>(element: Element<'d>, text: &impl Fn(Span) -> &'d str) {
    let name = element.name();
    assert_eq!(text(element.name_span()), name);
    assert!(text(element.start_tag_span()).starts_with(&format!("<{name}")));
    assert!(text(element.start_tag_span()).ends_with('>'));
    assert!(text(element.span()).ends_with('>'));
    if element.end_tag_span().is_empty() {
        assert!(text(element.span()).ends_with("/>"));
    } else {
        assert!(text(element.end_tag_span()).starts_with(&format!("</{name}")));
    }
    for child in element.children() {
        assert_eq!(child.parent(), Some(element));
        assert!(child.span().start >= element.start_tag_span().end && child.span().end <= element.span().end);
    }
    element.comments().for_each(|comment| assert_eq!(text(comment).len(), comment.len()));
    for attribute in element.attributes() {
        assert_eq!(text(attribute.name_span()), attribute.name());
        assert_eq!(element.attribute(attribute.name()).unwrap().value_span(), attribute.value_span());
        hold_value(
            attribute.value(),
            text(attribute.value_span()),
            |decoded| attribute.span_in_value(decoded),
            text,
        );
    }
}

/// Every character of a value comes from a piece of the source that decodes to it, and the pieces
/// lie side by side.
fn hold_value<'d>(
    value: &str,
    raw: &str,
    place: impl Fn(std::ops::Range<usize>) -> Span,
    text: &impl Fn(Span) -> &'d str,
) {
    assert_eq!(text(place(0..value.len())), raw, "the whole value is the whole text");
    let mut end = place(0..0).end;
    for (offset, character) in value.char_indices() {
        let span = place(offset..offset + character.len_utf8());
        assert_eq!(span.start, end, "at {offset} of {value:?}");
        end = span.end;
        let piece = text(span);
        let is_same = piece.chars().eq([character]) || (character == '\n' && piece.starts_with('\r'));
        assert!(is_same || (piece.starts_with('&') && piece.ends_with(';')), "{piece:?} is no {character:?}");
    }
}

/// What must hold of any reading.
fn hold_reading(document: Option<&Document>, diagnostics: &Diagnostics) {
    assert!(document.is_some() || diagnostics.has_errors(), "no document without an error");
    document.iter().for_each(|document| hold(document));
    for fault in diagnostics {
        for label in fault.primary.iter().chain(&fault.secondary) {
            assert!(label.source.text().get(label.span.range()).is_some(), "{fault:?}");
        }
        assert!(!fault.notes.is_empty() && fault.help.is_some(), "why, and what to do next: {fault:?}");
        assert!(!fault.message.ends_with('.') && !fault.message.contains('\n'), "{fault:?}");
    }
}

fn check(folder: &str, path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let limits = limits_in(&bytes);
    let (document, diagnostics) = read_bytes(name, bytes, &limits);
    hold_reading(document.as_ref(), &diagnostics);
    assert_eq!(diagnostics.has_errors(), folder == "err", "{name}: {}", diagnostics.render(false));
    let mut seen = match (&document, folder) {
        (Some(document), "ok") => draw(document),
        (Some(document), _) => format!("(read on: {} elements)\n\n", document.len()),
        (None, _) => String::new(),
    };
    if !diagnostics.is_empty() {
        seen.push_str(if folder == "ok" { "\n" } else { "" });
        seen.push_str(&diagnostics.render(false));
        seen.push('\n');
    }
    let golden = path.with_extension("txt");
    if std::env::var_os("HELVE_UPDATE").is_some() {
        std::fs::write(&golden, &seen).unwrap();
    }
    let wanted = std::fs::read_to_string(&golden).unwrap_or_default();
    (seen != wanted).then(|| format!("== {name}\n-- wanted\n{wanted}\n-- seen\n{seen}"))
}

fn check_all(folder: &str) {
    let wrong: Vec<_> = files(folder).iter().filter_map(|path| check(folder, path)).collect();
    assert!(wrong.is_empty(), "{}\n(HELVE_UPDATE=1 writes them anew)", wrong.join("\n"));
}

#[test]
fn sound_files_read() {
    check_all("ok");
}

#[test]
fn broken_files_say_what_is_wrong() {
    check_all("err");
}

#[test]
fn every_code_of_the_reader_has_a_golden_file() {
    let texts: String = (["ok", "err"].iter().flat_map(|folder| files(folder)))
        .map(|path| std::fs::read_to_string(path.with_extension("txt")).unwrap_or_default())
        .collect();
    let is_ours = |code: &&Code| code.id()[1..3] == *"00" && **code != Code::E0001;
    for code in Code::ALL.iter().filter(is_ours) {
        assert!(texts.contains(&format!("[{code}]")), "no file shows {code} {}", code.slug());
    }
}

#[test]
fn positions_in_values_lead_back_through_entities() {
    let rows = [
        ("abc", 1..2, "b"),
        ("a&lt;b", 1..2, "&lt;"),
        ("a&lt;b", 2..3, "b"),
        ("a&lt;b", 0..2, "a&lt;"),
        ("&amp;&amp; x", 3..4, "x"),
        ("&#x1F600;!", 1..2, "&#x1F600;"),
        ("&#x1F600;!", 4..5, "!"),
        ("a\r\nb", 2..3, "b"),
        ("a\r\nb", 1..2, "\r\n"),
        ("a && b &quot;", 0..6, "a && b"),
        ("ab", 5..9, ""),
        ("&lt;", 0..0, ""),
    ];
    for (raw, decoded, wanted) in rows {
        let source = Source::new("<inline>", format!("<root a=\"{raw}\"/>"));
        let (document, _) = read(&source, &XmlLimits::default());
        let document = document.unwrap();
        let span = document.root().attribute("a").unwrap().span_in_value(decoded.clone());
        assert_eq!(source.slice(span), wanted, "{raw} {decoded:?}");
    }
}

fn nested(depth: usize) -> Arc<Source> {
    Source::new("deep.xml", format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth)))
}

#[test]
fn great_depth_is_read_or_refused() {
    let (document, diagnostics) = read(&nested(100_000), &XmlLimits::default());
    let document = document.unwrap();
    assert!(diagnostics.is_empty());
    assert_eq!(document.len(), 100_000);
    assert_eq!(document.elements().next_back().unwrap().ancestors().count(), 99_999);
    drop(document);

    let limits = XmlLimits { depth: 1_000, ..XmlLimits::default() };
    let (document, diagnostics) = read(&nested(100_000), &limits);
    assert!(document.is_none());
    let codes: Vec<_> = diagnostics.iter().map(|fault| fault.code).collect();
    assert_eq!(codes, [Code::E0011]);
}

#[test]
fn great_depth_that_is_never_closed_is_one_fault() {
    let source = Source::new("deep.xml", "<a>".repeat(100_000));
    let (document, diagnostics) = read(&source, &XmlLimits::default());
    assert!(document.is_none());
    assert_eq!(diagnostics.iter().map(|fault| fault.code).collect::<Vec<_>>(), [Code::E0004]);
}

#[test]
fn reading_stops_after_too_many_errors() {
    let source = Source::new("many.xml", format!("<root>{}</root>", "<a x/>\n".repeat(XML_ERRORS_MAX + 5)));
    let (document, diagnostics) = read(&source, &XmlLimits::default());
    assert!(document.is_none());
    assert_eq!(diagnostics.iter().count(), XML_ERRORS_MAX);
    let last = diagnostics.iter().last().unwrap();
    assert!(last.notes.iter().any(|note| note.starts_with("reading stopped here")), "{last:?}");
}

/// How many hostile inputs each property tries when nobody asks for more.
const CASES: u32 = 256;

fn corpus() -> Vec<Vec<u8>> {
    let paths = ["ok", "err"].iter().flat_map(|folder| files(folder));
    paths.map(|path| std::fs::read(path).unwrap()).filter(|bytes| bytes.len() < 4_000).collect()
}

/// Pieces that a reader of XML stumbles over.
fn piece() -> impl Strategy<Value = Vec<u8>> + Clone {
    let known = [
        "<",
        ">",
        "/>",
        "</",
        "<A",
        "</A>",
        "<A>",
        "<A ",
        "<B x=\"1\"/>",
        "\"",
        "'",
        "=",
        " ",
        "\n",
        "x=",
        "&",
        "&amp;",
        "&#",
        "&#x41;",
        "&nope;",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<!DOCTYPE",
        "<!",
        "<?",
        "?>",
        "[",
        "]",
        "é",
        "成",
        "\u{FEFF}",
        "\r",
        "\0",
        "<root>",
        "</root>",
        "/",
    ];
    prop_oneof![
        8 => prop::sample::select(known.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ]
}

fn try_bytes(bytes: Vec<u8>) {
    let small = XmlLimits {
        depth: 6,
        elements: 12,
        attributes: 3,
        value_bytes: 8,
        text_bytes: 8,
        ..XmlLimits::default()
    };
    for limits in [XmlLimits::default(), small] {
        let (document, diagnostics) = read_bytes("fuzz.xml", bytes.clone(), &limits);
        hold_reading(document.as_ref(), &diagnostics);
        diagnostics.render(false);
    }
}

proptest! {
    #![proptest_config(fuzz::config(CASES))]

    #[test]
    fn no_bytes_crash_the_reader(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        try_bytes(bytes);
    }

    #[test]
    fn no_markup_crashes_the_reader(pieces in prop::collection::vec(piece(), 0..40)) {
        try_bytes(pieces.concat());
    }

    #[test]
    fn no_mutated_file_crashes_the_reader(bytes in mutated(corpus(), piece())) {
        try_bytes(bytes);
    }
}
