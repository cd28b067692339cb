//! Why a root refused, or a file below it could not be had.

use std::fmt;
use std::io;

use crate::harness::{LeaseLost, Unforeseen};
use crate::outcome::ErrorCategory;
use crate::text::system_words;

/// What keeps an operation below a root from being done: which path, why, and what to do next.
#[derive(Debug)]
pub struct RootError {
    path: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Leaves,
    Empty,
    Nul,
    Link,
    NotAFile,
    NotAFolder,
    Taken,
    TooLarge { bytes: u64, max: usize },
    LeaseLost,
    Unforeseen(Unforeseen),
    Io { doing: &'static str, error: io::Error },
}

impl RootError {
    fn new(path: impl fmt::Display, kind: Kind) -> Self {
        Self { path: path.to_string(), kind }
    }

    pub(super) fn leaves(path: impl fmt::Display) -> Self {
        Self::new(path, Kind::Leaves)
    }

    pub(super) fn empty() -> Self {
        Self::new("", Kind::Empty)
    }

    pub(super) fn nul(path: &str) -> Self {
        Self::new(path.escape_debug(), Kind::Nul)
    }

    pub(super) fn link(path: impl fmt::Display) -> Self {
        Self::new(path, Kind::Link)
    }

    pub(super) fn not_a_file(path: impl fmt::Display) -> Self {
        Self::new(path, Kind::NotAFile)
    }

    pub(super) fn not_a_folder(path: impl fmt::Display) -> Self {
        Self::new(path, Kind::NotAFolder)
    }

    pub(super) fn too_large(path: impl fmt::Display, bytes: u64, max: usize) -> Self {
        Self::new(path, Kind::TooLarge { bytes, max })
    }

    pub(super) fn lease_lost(path: impl fmt::Display) -> Self {
        Self::new(path, Kind::LeaseLost)
    }

    pub(super) fn unforeseen(path: impl fmt::Display, fault: Unforeseen) -> Self {
        Self::new(path, Kind::Unforeseen(fault))
    }

    /// What the system said while `doing` something with `path`. cap-std marks an attempt to leave
    /// by a permission error that has no number from the system.
    pub(in crate::harness) fn io(doing: &'static str, path: impl fmt::Display, error: io::Error) -> Self {
        let kind = match error.kind() {
            io::ErrorKind::PermissionDenied if error.raw_os_error().is_none() => Kind::Leaves,
            io::ErrorKind::NotADirectory => Kind::NotAFolder,
            io::ErrorKind::AlreadyExists => Kind::Taken,
            _ => Kind::Io { doing, error },
        };
        Self::new(path, kind)
    }

    /// The path that was asked for.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether there is nothing at the path.
    pub fn is_not_found(&self) -> bool {
        matches!(&self.kind, Kind::Io { error, .. } if error.kind() == io::ErrorKind::NotFound)
    }

    /// Whether the path leads out of its root.
    pub fn is_escape(&self) -> bool {
        matches!(self.kind, Kind::Leaves)
    }

    /// Whether there is more than was asked for.
    pub fn is_too_large(&self) -> bool {
        matches!(self.kind, Kind::TooLarge { .. })
    }

    /// Whether the call was over before its effect could land.
    pub fn is_lease_lost(&self) -> bool {
        matches!(self.kind, Kind::LeaseLost)
    }

    /// Whose fault it is, coarsely.
    pub fn category(&self) -> ErrorCategory {
        match &self.kind {
            Kind::Leaves | Kind::Empty | Kind::Nul | Kind::Link => ErrorCategory::Permission,
            Kind::NotAFile | Kind::NotAFolder | Kind::Taken | Kind::TooLarge { .. } => {
                ErrorCategory::Resource
            }
            Kind::LeaseLost => ErrorCategory::Cancelled,
            Kind::Unforeseen(Unforeseen::Changed(_)) => ErrorCategory::Resource,
            Kind::Unforeseen(Unforeseen::NotNamed(_) | Unforeseen::Otherwise(_)) => ErrorCategory::Permission,
            Kind::Io { error, .. } => match error.kind() {
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    ErrorCategory::Permission
                }
                _ => ErrorCategory::Resource,
            },
        }
    }

    /// What to do next.
    pub fn suggestion(&self) -> &'static str {
        match &self.kind {
            Kind::Leaves => {
                "Give a relative path that stays inside, without `..` and through no link that leads out."
            }
            Kind::Empty | Kind::Nul => "Give a relative path such as `folder/name.md`.",
            Kind::Link => "Give the path of the file that the link points to.",
            Kind::NotAFile => "Give the path of a file.",
            Kind::NotAFolder => "Give another path, or move the file that stands in the way.",
            Kind::Taken => "Give a name that is free.",
            Kind::TooLarge { .. } => "Split the file into smaller ones.",
            Kind::LeaseLost => "Give the call more time.",
            Kind::Unforeseen(Unforeseen::Otherwise(_)) => {
                "Mend the tool: what it writes may depend on its arguments and the files alone."
            }
            Kind::Unforeseen(_) => "Look at the file and call again.",
            Kind::Io { error, .. } => match error.kind() {
                io::ErrorKind::NotFound => "Check the spelling, or create it first.",
                io::ErrorKind::PermissionDenied => {
                    "Change the permissions of the path, or choose another folder."
                }
                io::ErrorKind::ReadOnlyFilesystem => "Choose a folder on a file system that can be written.",
                io::ErrorKind::StorageFull => {
                    "Make room on the file system, or choose a folder on another one."
                }
                _ => "Check the path and the file system that it is on.",
            },
        }
    }
}

impl fmt::Display for RootError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match &self.kind {
            Kind::Leaves => write!(f, "`{path}` leaves its root folder"),
            Kind::Empty => f.write_str("the path is empty; it names no place in its root folder"),
            Kind::Nul => write!(f, "`{path}` holds a NUL character; no path below a root does"),
            Kind::Link => write!(f, "`{path}` is a symbolic link, and links are not written through"),
            Kind::NotAFile => write!(f, "`{path}` is not a regular file"),
            Kind::NotAFolder => write!(f, "`{path}` is not a folder, or goes through something that is none"),
            Kind::Taken => write!(f, "`{path}` exists already"),
            Kind::TooLarge { bytes, max } => {
                write!(f, "`{path}` has {bytes} bytes; at most {max} are read or written")
            }
            Kind::LeaseLost => write!(f, "`{path}` was left as it is: {LeaseLost}"),
            Kind::Unforeseen(fault) => fault.fmt(f),
            Kind::Io { doing, error } => write!(f, "{doing} `{path}` failed: {}", system_words(error)),
        }
    }
}

impl std::error::Error for RootError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            Kind::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
