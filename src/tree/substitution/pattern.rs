//! Texts with `*` and `?`.

/// Whether a pattern stands for the whole text: `*` for any letters, `/` among them, `?` for one.
///
/// Goes back only to the last `*`, so it takes at most the product of both lengths and no stack.
pub(super) fn covers(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut read) = (0, 0);
    let mut last_star: Option<(usize, usize)> = None;
    while read < text.len() {
        match pattern.get(at) {
            Some('*') => {
                last_star = Some((at, read));
                at += 1;
            }
            Some(&letter) if letter == '?' || letter == text[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((star, from)) = last_star else { return false };
                last_star = Some((star, from + 1));
                at = star + 1;
                read = from + 1;
            }
        }
    }
    pattern[at..].iter().all(|&letter| letter == '*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::covers;

    /// The definition itself: what a pattern stands for, letter by letter.
    fn naive(pattern: &[char], text: &[char]) -> bool {
        match (pattern.split_first(), text.split_first()) {
            (None, None) => true,
            (Some(('*', rest)), None) => naive(rest, text),
            (Some(('*', rest)), Some((_, behind))) => naive(rest, text) || naive(pattern, behind),
            (Some(('?', rest)), Some((_, behind))) => naive(rest, behind),
            (Some((letter, rest)), Some((first, behind))) => letter == first && naive(rest, behind),
            _ => false,
        }
    }

    #[test]
    fn rows() {
        let check = |pattern: &str, text: &str, expected: bool| {
            assert_eq!(covers(pattern, text), expected, "{pattern} {text}");
        };
        check("a", "a", true);
        check("a", "ab", false);
        check("act_*", "act_b", true);
        check("act_*", "x/act_b", false);
        check("*/act_?", "x/y/act_b", true);
        check("*", "", true);
        check("?", "", false);
        check("*b*d", "abcbd", true);
    }

    proptest! {
        #[test]
        fn it_is_what_the_definition_says(pattern in "[ab*?]{0,7}", text in "[ab]{0,8}") {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(covers(&pattern, &text), naive(&letters(&pattern), &letters(&text)));
        }
    }
}
