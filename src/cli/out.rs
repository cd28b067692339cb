//! The one way to standard output and standard error.

use std::io::{self, IsTerminal, Write};

use crossterm::style::{Color as Hue, Stylize};
use crossterm::terminal;
use serde_json::Value as Json;

use crate::cli::args::Color;
use crate::cli::picture::clip;
use crate::diag::{Code, Diagnostics};

/// Standard output and standard error. A reader that goes away (`helve draw big.xml | head`) is no
/// fault: what it does not read is not written.
pub(super) struct Out {
    stdout: io::Stdout,
    stderr: io::Stderr,
    colour: bool,
    colour_of_faults: bool,
    is_terminal: bool,
    /// The first fault that was told, an error before any warning.
    told: Option<Code>,
}

impl Out {
    pub fn new(color: Color) -> Self {
        let (stdout, stderr) = (io::stdout(), io::stderr());
        let allowed = |is_terminal: bool| match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty()),
        };
        let is_terminal = stdout.is_terminal();
        Self {
            colour: allowed(is_terminal),
            colour_of_faults: allowed(stderr.is_terminal()),
            is_terminal,
            stdout,
            stderr,
            told: None,
        }
    }

    /// Whether standard output is a terminal.
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Whether standard output is coloured.
    pub fn colour(&self) -> bool {
        self.colour
    }

    /// Whether standard error is coloured.
    pub fn colour_of_faults(&self) -> bool {
        self.colour_of_faults
    }

    pub fn line(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.stdout, "{}", line.as_ref());
    }

    /// A line that must not wrap: cut at the terminal's width. Somewhere else it stays whole.
    pub fn row(&mut self, row: &str) {
        match self.width() {
            Some(mut width) => self.line(clip(row, &mut width)),
            None => self.line(row),
        }
    }

    /// The terminal's width in columns. A terminal that nobody has told its size says 0.
    pub fn width(&self) -> Option<usize> {
        let (width, _) = terminal::size().ok().filter(|_| self.is_terminal)?;
        Some(usize::from(width)).filter(|width| *width > 0)
    }

    pub fn text(&mut self, text: impl AsRef<str>) {
        let _ = self.stdout.write_all(text.as_ref().as_bytes()).and_then(|()| self.stdout.flush());
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let _ = self.stdout.write_all(bytes).and_then(|()| self.stdout.flush());
    }

    pub fn json(&mut self, json: &Json) {
        self.line(format!("{json:#}"));
    }

    pub fn faults(&mut self, faults: &Diagnostics) {
        if !faults.is_empty() {
            let _ = writeln!(self.stderr, "{}\n", faults.render(self.colour_of_faults));
            let codes = || faults.iter().map(|fault| fault.code);
            let told = self.told.filter(|code| !code.is_warning());
            let error = told.or_else(|| codes().find(|code| !code.is_warning()));
            self.told = error.or(self.told).or_else(|| codes().next());
        }
    }

    /// Says once where to read more about the faults that were told.
    pub fn point_to_a_page(&mut self) {
        // Whoever looks for a page and misses is not sent to one about that.
        if let Some(code) = self.told.filter(|&code| code != Code::E0410) {
            let _ = writeln!(self.stderr, "`helve explain {code}` tells more.");
        }
    }

    /// A line beside what was asked for.
    pub fn note(&mut self, line: impl AsRef<str>) {
        let _ = writeln!(self.stderr, "{}", line.as_ref());
    }

    /// A text in a colour, when standard output is coloured.
    pub fn paint(&self, text: &str, hue: Hue) -> String {
        paint(self.colour, text, hue)
    }

    /// A heading.
    pub fn bold(&self, text: &str) -> String {
        if self.colour { text.bold().to_string() } else { text.to_owned() }
    }
}

/// The text without what a terminal would obey: whoever wrote it must not be able to move the cursor,
/// hide a line or turn its direction, and so show something else than there is.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if turns || c.is_control() && c != '\t' {
            plain.extend(c.escape_unicode());
        } else {
            plain.push(c);
        }
    }
    plain
}

/// A text in a colour, or as it is.
pub(super) fn paint(colour: bool, text: &str, hue: Hue) -> String {
    if colour { text.with(hue).to_string() } else { text.to_owned() }
}
