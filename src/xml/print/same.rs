//! Whether two documents say the same.

use super::markup::unix_lines;
use crate::text::Span;
use crate::xml::{Attribute, Document, Element, Item};

/// Whether two documents hold the same elements with the same attributes, values and order, and the
/// same text, CDATA and instructions between them. Places and blanks do not count, nor what no
/// reader of trees looks at: comments, and what stands outside the root.
///
/// ```
/// use helve::{text::Source, xml::{XmlLimits, print, read, same}};
///
/// let read_of = |text: &str| read(&Source::new("a.xml", text), &XmlLimits::default()).0;
/// let document = read_of("<root><A if=\"x<1\"y='2' > </A></root> junk").ok_or("no document")?;
/// let text = print(&document);
/// assert_eq!(text, "<root>\n  <A if=\"x&lt;1\" y=\"2\"/>\n</root>\n<!-- junk -->\n");
/// assert!(same(&document, &read_of(&text).ok_or("no document")?));
/// # Ok::<(), &str>(())
/// ```
pub fn same(one: &Document, other: &Document) -> bool {
    let (mut left, mut right) = (one.items().filter(counts), other.items().filter(counts));
    loop {
        match (left.next(), right.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if same_item((one, a), (other, b)) => {}
            _ => return false,
        }
    }
}

fn counts(item: &Item<'_>) -> bool {
    !matches!(item, Item::Comment(_) | Item::Outside(_))
}

fn same_item((left, a): (&Document, Item<'_>), (right, b): (&Document, Item<'_>)) -> bool {
    let verbatim =
        |a: Span, b: Span| unix_lines(left.source().slice(a)) == unix_lines(right.source().slice(b));
    match (a, b) {
        (Item::Open(a), Item::Open(b)) => same_tag(a, b),
        (Item::Close(a), Item::Close(b)) => a.name() == b.name(),
        (Item::CData(a), Item::CData(b))
        | (Item::Instruction(a), Item::Instruction(b))
        | (Item::Doctype(a), Item::Doctype(b)) => verbatim(a, b),
        (Item::Text(a), Item::Text(b)) => words(left.source().slice(a)).eq(words(right.source().slice(b))),
        _ => false,
    }
}

fn same_tag(a: Element<'_>, b: Element<'_>) -> bool {
    let is_same = |(a, b): (Attribute<'_>, Attribute<'_>)| a.name() == b.name() && a.value() == b.value();
    let (left, right) = (a.attributes(), b.attributes());
    a.name() == b.name() && left.len() == right.len() && left.zip(right).all(is_same)
}

/// The words of a text, spelled one way.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_ascii_whitespace().map(super::markup::mended_text)
}
