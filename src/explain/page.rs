//! The pages, cut out of their files.

use std::sync::LazyLock;

use crate::diag::Code;
use crate::explain::Block;

/// All pages, by the family of their codes.
const TEXTS: [&str; 7] = [
    include_str!("../docs/errors/xml.md"),
    include_str!("../docs/errors/tree.md"),
    include_str!("../docs/errors/convert.md"),
    include_str!("../docs/errors/expression.md"),
    include_str!("../docs/errors/command.md"),
    include_str!("../docs/errors/tool.md"),
    include_str!("../docs/errors/permission.md"),
];

/// The page of one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The code as its heading writes it.
    pub id: &'static str,
    /// The code's name in words.
    pub slug: &'static str,
    /// What stands under the heading, in Markdown.
    pub body: &'static str,
}

static PAGES: LazyLock<Vec<Page>> =
    LazyLock::new(|| TEXTS.iter().flat_map(|text| text.split("\n## ").skip(1)).map(read).collect());

/// All pages, in the order of their files.
pub fn pages() -> &'static [Page] {
    &PAGES
}

/// The page of a code.
pub fn page(code: Code) -> Option<&'static Page> {
    pages().iter().find(|page| page.id == code.id())
}

/// The code that people write as `text`: `E0107`, `e0107`, `0107` or `port_unknown`.
pub fn find(text: &str) -> Option<Code> {
    let by_slug = || Code::ALL.iter().copied().find(|code| code.slug().eq_ignore_ascii_case(text));
    Code::parse(text).or_else(by_slug).or_else(|| Code::parse(&format!("E{text}")))
}

fn read(section: &'static str) -> Page {
    let (heading, body) = section.split_once('\n').unwrap_or((section, ""));
    let (id, slug) = heading.trim().split_once(' ').unwrap_or((heading.trim(), ""));
    Page { id, slug: slug.trim(), body: body.trim() }
}

impl Page {
    /// What is wrong, in one line.
    pub fn summary(&self) -> &'static str {
        self.body.lines().next().unwrap_or_default()
    }

    /// Prose and examples in their order.
    pub fn blocks(&self) -> Vec<Block> {
        Block::read(self.body)
    }
}
