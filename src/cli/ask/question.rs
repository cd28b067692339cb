//! The question as lines.

use crossterm::style::Color as Hue;

use crate::cli::out::{paint, plain};
use crate::exec::{Diff, WriteRequest};
use crate::limits::{ASKED_ARGUMENT_CHARS_MAX, ASKED_LINES_MAX};
use crate::manifest::Effects;

/// Everything that a person has to know, at most [`ASKED_LINES_MAX`] lines of the difference.
pub(super) fn question(request: &WriteRequest, colour: bool) -> Vec<String> {
    let (tool, caller) = (&request.call.tool, &request.call.caller);
    let wants = match request.effects {
        Effects::Writes => "wants to write",
        Effects::External => "wants to speak to the outside",
        Effects::ReadOnly => "wants to run",
    };
    let mut lines = vec![String::new(), plain(&format!("The tool `{tool}` {wants} ({caller})."))];
    if request.round > 1 {
        lines.push("Its files changed since you were asked; this is what it would do now.".to_owned());
    }
    lines.push(String::new());
    match &request.diff {
        Some(diff) if diff.lines.is_empty() => lines.push("It would change no file.".to_owned()),
        Some(diff) => lines.extend(paint_diff(diff, ASKED_LINES_MAX, colour)),
        None => {
            lines.push("It cannot say what it would change. Its arguments:".to_owned());
            lines.extend(request.call.arguments.iter().map(|(name, value)| argument(name, value)));
        }
    }
    lines.push(String::new());
    let undo = match &request.changes {
        Some(_) => "`helve undo` can take it back",
        None => "it cannot be undone by `helve undo`",
    };
    lines.push(plain(&format!("Asked because of {}; {undo}.", request.asked_by)));
    lines
}

fn argument(name: &str, value: &serde_json::Value) -> String {
    let text = value.to_string();
    let shown: String = text.chars().take(ASKED_ARGUMENT_CHARS_MAX).collect();
    let more = text.chars().count() - shown.chars().count();
    let more = if more > 0 { format!("… ({more} more characters)") } else { String::new() };
    plain(&format!("  {name}: {shown}{more}"))
}

/// The lines of a difference, coloured, at most `most`; the last one says how many there are more.
pub(in crate::cli) fn paint_diff(diff: &Diff, most: usize, colour: bool) -> Vec<String> {
    let mut lines: Vec<_> = diff.lines.iter().take(most).map(|line| paint_line(line, colour)).collect();
    let left = diff.lines.len().saturating_sub(most) + diff.cut;
    if left > 0 {
        lines.push(paint(colour, &format!("… {left} more lines ({} in all)", diff.tally()), Hue::Yellow));
    }
    lines
}

fn paint_line(line: &str, colour: bool) -> String {
    let line = plain(line);
    let hue = match line.as_bytes().first() {
        _ if line.starts_with("---") || line.starts_with("+++") => Hue::White,
        Some(b'+') => Hue::Green,
        Some(b'-') => Hue::Red,
        Some(b'@') => Hue::Cyan,
        _ => return line,
    };
    paint(colour, &line, hue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_difference_is_obeyed_by_the_terminal() {
        let diff = Diff {
            lines: vec!["+a\u{1b}[2Kb\r\u{202e}c\td".to_owned(), "-x".to_owned()],
            added: 1,
            removed: 1,
            cut: 3,
        };
        let lines = paint_diff(&diff, 1, false);
        assert_eq!(lines, ["+a\\u{1b}[2Kb\\u{d}\\u{202e}c\td", "… 4 more lines (+1 -1 in all)"]);
    }
}
