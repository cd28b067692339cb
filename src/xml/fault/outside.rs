//! Faults of what stands around the root, and of what trees may not hold.

use std::sync::Arc;

use super::{quoted, quoted_at};
use crate::diag::{Code, Diagnostic};
use crate::text::{Source, Span};

/// Text before or after the root.
pub fn text(source: &Arc<Source>, text: Span, root: Option<Span>) -> Diagnostic {
    let side = if root.is_some() { "after" } else { "before" };
    let line = source.slice(text).lines().next().unwrap_or_default().trim_end().len();
    let shown = Span::new(text.range().start, text.range().start + line);
    let fault = Diagnostic::new(Code::W0003, format!("text {side} the root element"))
        .at(source, shown, "ignored")
        .note("the dialect's reference reader ignores it too; strict XML readers refuse the file")
        .help("Remove it, or run `helve fmt`, which makes it a comment.");
    match root {
        Some(root) => fault.and_at(source, root, "the root element"),
        None => fault,
    }
}

/// An element after the root.
pub fn second_root(source: &Arc<Source>, tag: Span, root: Span) -> Diagnostic {
    Diagnostic::new(Code::W0004, "a second element stands beside the root")
        .at(source, tag, "ignored, with all that is inside")
        .and_at(source, root, "this one is the root")
        .note("XML has one outermost element; the dialect's reference reader takes the first")
        .help(
            "Move what it holds into the first element or a file of its own; `helve fmt` makes it a comment.",
        )
}

/// A document type declaration.
pub fn doctype(source: &Arc<Source>, span: Span) -> Diagnostic {
    let keyword =
        Span::new(span.range().start, (span.range().start + "<!DOCTYPE".len()).min(span.range().end));
    Diagnostic::new(Code::E0009, "a document type declaration is not allowed")
        .at(source, keyword, "remove this declaration")
        .note("it can define entities that grow without bound or name files to be read; trees need neither")
        .help("Delete it, and write the text of its entities where they are used.")
}

/// `&#..;` that names no character.
pub fn character_reference(source: &Arc<Source>, reference: Span, why: &str) -> Diagnostic {
    let shown = quoted_at(source, reference);
    Diagnostic::new(Code::E0015, format!("`{shown}` names no character"))
        .at(source, reference, why.to_owned())
        .note("a character reference is `&#`, a decimal number, `;` or `&#x`, a hexadecimal number, `;`")
        .help("Write the character itself, or `&amp;#` if the text shall hold `&#`.")
}

/// An entity that is not one of the five, in a text that defines entities of its own.
pub fn entity_unknown(source: &Arc<Source>, reference: Span) -> Diagnostic {
    let shown = quoted_at(source, reference);
    Diagnostic::new(Code::E0008, format!("the entity `{shown}` is not expanded"))
        .at(source, reference, "not one of the five that XML itself has")
        .note("entities that a document type declaration defines are refused with it")
        .help("Write the text that it stands for.")
}

/// An entity that is not one of the five.
pub fn entity_kept(source: &Arc<Source>, reference: Span, near: Option<&str>) -> Diagnostic {
    let shown = quoted_at(source, reference);
    let escaped = format!("&amp;{}", &shown[1..]);
    let help = match near {
        Some(near) => {
            format!(
                "Did you mean `&{near};`? If the text is meant as it stands, write `{escaped}`, as `helve fmt` does."
            )
        }
        None => format!(
            "Write the character itself, or `{escaped}` if the text is meant as it stands, as `helve fmt` does."
        ),
    };
    Diagnostic::new(Code::W0005, format!("unknown entity `{shown}`"))
        .at(source, reference, "kept as it stands")
        .note("XML knows `&amp;`, `&lt;`, `&gt;`, `&quot;`, `&apos;` and numbers such as `&#10;`")
        .help(help)
}

/// `<` or `&` as they are in a value.
pub fn raw_markup(source: &Arc<Source>, attribute: Span, raw: Span) -> Diagnostic {
    let written = source.slice(raw);
    let escaped = quoted(written).replace('&', "&amp;").replace('<', "&lt;");
    let (shown, name) = (quoted(written), quoted_at(source, attribute));
    Diagnostic::new(Code::W0001, format!("raw `{shown}` in the value of `{name}`"))
        .at(source, raw, format!("XML writes this `{escaped}`"))
        .note("read as it stands, as the dialect's reference reader does; strict XML readers refuse the file")
        .help(format!("Write `{escaped}`; `helve fmt` does it for the whole file."))
}

/// `&` as it is in text between tags.
pub fn raw_text(source: &Arc<Source>, raw: Span) -> Diagnostic {
    Diagnostic::new(Code::W0007, "raw `&` in text between tags")
        .at(source, raw, "XML writes this `&amp;`")
        .note("read as it stands, as the dialect's reference reader does; strict XML readers refuse the file")
        .help("Write `&amp;`; `helve fmt` does it for the whole file.")
}

/// `--` inside a comment, or `-` at its end; `inside` is what stands between the delimiters.
pub fn comment_dashes(source: &Arc<Source>, inside: Span) -> Diagnostic {
    let text = source.slice(inside);
    let at = inside.range().start + text.find("--").unwrap_or(text.len().saturating_sub(1));
    let len = source.text()[at..inside.range().end].bytes().take_while(|&byte| byte == b'-').count();
    Diagnostic::new(Code::W0006, "`--` inside a comment")
        .at(source, Span::new(at, at + len), "only the end of a comment is written with `--`")
        .note("read as the dialect's reference reader does; strict XML readers refuse the file")
        .help("Write something else, such as `==`; `helve fmt` does it for the whole file.")
}

/// Two attributes without a blank between.
pub fn blank_missing(source: &Arc<Source>, name: Span) -> Diagnostic {
    let shown = quoted_at(source, name);
    Diagnostic::new(Code::W0002, format!("no blank before the attribute `{shown}`"))
        .at(source, name, "a blank belongs before this")
        .note("read as the dialect's reference reader does; strict XML readers refuse the file")
        .help(format!("Put a blank before `{shown}`; `helve fmt` does it for the whole file."))
}
