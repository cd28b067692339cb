//! Where a note is.

use std::fmt;

use crate::harness::RootPath;
use crate::tool::ToolError;

/// The path of a note from its project's folder. It ends in `.md`, which is added when it is
/// missing, and has no hidden part: what begins with a dot is no note.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NotePath(RootPath);

impl NotePath {
    /// The note that `text` names.
    ///
    /// # Errors
    /// When the path leaves the folder (a permission error), or names no note.
    pub fn parse(text: &str) -> Result<Self, ToolError> {
        let given = RootPath::parse(text)?;
        if given.is_root() || text.ends_with(['/', '\\']) {
            return Err(ToolError::user_input(format!("`{text}` names a folder and no note"))
                .suggest("Give the path of a note, such as `folder/name.md`."));
        }
        if given.parts().any(|part| part.starts_with('.')) {
            return Err(ToolError::user_input(format!("`{text}` has a part that begins with a dot"))
                .suggest("Give a path without hidden folders and names; they hold no notes."));
        }
        if is_note(given.as_str()) {
            Ok(Self(given))
        } else {
            Ok(Self(RootPath::parse(&format!("{given}.md"))?))
        }
    }

    /// The path below the project's folder.
    pub fn path(&self) -> &RootPath {
        &self.0
    }

    /// The name without `.md`: the title of a note that names none.
    pub fn stem(&self) -> &str {
        stem(self.0.as_str())
    }
}

impl fmt::Display for NotePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whether a file of this name is a note.
pub(super) fn is_note(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("md"))
}

/// The name of the note at `path`, without its extension.
pub(super) fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::ErrorCategory::{Permission, UserInput};

    #[test]
    fn paths_name_notes() {
        let rows = [
            ("a", Ok("a.md")),
            ("a.md", Ok("a.md")),
            ("A.MD", Ok("A.MD")),
            ("v1.2", Ok("v1.2.md")),
            ("x/./y", Ok("x/y.md")),
            ("x/", Err(UserInput)),
            (".", Err(UserInput)),
            (".git/config", Err(UserInput)),
            ("../x", Err(Permission)),
            ("/x", Err(Permission)),
            ("", Err(Permission)),
        ];
        for (text, expected) in rows {
            let got = NotePath::parse(text).map(|note| note.to_string()).map_err(|fault| fault.category());
            assert_eq!(got, expected.map(String::from), "{text:?}");
        }
    }
}
