//! The parts of a page: prose and examples.

/// A part of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// Paragraphs, in Markdown.
    Prose(&'static str),
    /// What stands between two fences.
    Example(Example),
}

/// What an example shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It has the fault of its page and no other.
    Wrong,
    /// It has no fault.
    Right,
    /// It is there to be looked at.
    Shown,
}

impl Verdict {
    /// The word of the fence.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Wrong => "wrong",
            Self::Right => "right",
            Self::Shown => "shown",
        }
    }
}

/// A text in a fence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// What kind of text it is: `xml`, `script`, `predicate`, `sh`, ...
    pub language: &'static str,
    /// What it shows.
    pub verdict: Verdict,
    /// What is special about it, as `name:value`.
    pub options: Vec<(&'static str, &'static str)>,
    /// The text, as it stands.
    pub text: &'static str,
}

const FENCE: &str = "```";

impl Block {
    /// The blocks of a page's body. A fence that is never closed goes to the end.
    pub(super) fn read(body: &'static str) -> Vec<Self> {
        let mut blocks = Vec::new();
        let mut rest = body;
        while let Some((prose, after)) = rest.split_once(FENCE) {
            let (info, after) = after.split_once('\n').unwrap_or((after, ""));
            let (text, after) = after.split_once(FENCE).unwrap_or((after, ""));
            blocks.push(Self::Prose(prose.trim()));
            blocks.push(Self::Example(Example::read(info, text.trim_end_matches('\n'))));
            rest = after;
        }
        blocks.push(Self::Prose(rest.trim()));
        blocks.retain(|block| *block != Self::Prose(""));
        blocks
    }
}

impl Example {
    fn read(info: &'static str, text: &'static str) -> Self {
        let mut words = info.split_whitespace();
        let language = words.next().unwrap_or("text");
        let mut example = Self { language, verdict: Verdict::Shown, options: Vec::new(), text };
        for word in words {
            match word.split_once(':') {
                Some(option) => example.options.push(option),
                None if word == Verdict::Wrong.as_str() => example.verdict = Verdict::Wrong,
                None if word == Verdict::Right.as_str() => example.verdict = Verdict::Right,
                None => example.options.push((word, "")),
            }
        }
        example
    }

    /// The number of an option.
    pub fn number(&self, option: &str) -> Option<usize> {
        self.options.iter().find(|(name, _)| *name == option)?.1.parse().ok()
    }

    /// The text with its repetitions written out.
    pub fn expanded(&self) -> String {
        let Some(times) = self.number("repeat") else { return self.text.to_owned() };
        let mut out = String::new();
        let mut rest = self.text;
        while let Some((before, after)) = rest.split_once('⟨') {
            let (repeated, after) = after.split_once('⟩').unwrap_or((after, ""));
            out.push_str(before);
            for n in 0..times {
                out.push_str(&repeated.replace("#n", &n.to_string()).replace("#m", &(n + 1).to_string()));
            }
            rest = after;
        }
        out + rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(text: &'static str) -> Example {
        match &Block::read(text)[..] {
            [Block::Example(example)] => example.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_body_is_prose_and_examples() {
        let blocks = Block::read("One.\nTwo.\n\nWrong:\n\n```xml wrong elements:3\n<a>\n\n</a>\n```\n\nEnd.");
        let [Block::Prose(first), Block::Example(example), Block::Prose("End.")] = &blocks[..] else {
            panic!("{blocks:?}")
        };
        assert_eq!(*first, "One.\nTwo.\n\nWrong:");
        assert_eq!((example.language, example.verdict), ("xml", Verdict::Wrong));
        assert_eq!((example.text, example.number("elements")), ("<a>\n\n</a>", Some(3)));
    }

    #[test]
    fn what_is_repeated_is_written_out() {
        #[track_caller]
        fn check(text: &'static str, expected: &str) {
            assert_eq!(example(text).expanded(), expected);
        }
        check("```x wrong repeat:3\n⟨(⟩1⟨)⟩\n```", "(((1)))");
        check("```x wrong repeat:2\na⟨ #n=#m⟩\n```", "a 0=1 1=2");
        check("```x wrong\n⟨(⟩\n```", "⟨(⟩");
    }
}
