//! Listing what is below a root.

use cap_std::fs::DirEntry;

use crate::harness::root::{Root, RootError, RootPath};
use crate::limits::{ROOT_DEPTH_MAX, ROOT_ENTRIES_MAX};

/// A regular file below a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Where, from the root.
    pub path: RootPath,
    /// How large.
    pub bytes: u64,
    /// When it was last written, in nanoseconds since 1970; 0 where the system does not say.
    pub modified_ns: i64,
}

/// The files below a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The files, by path.
    pub files: Vec<Found>,
    /// Entries that could not be looked at, or whose names are not UTF-8.
    pub skipped: usize,
    /// Whether a bound ended the walk before its end.
    pub truncated: bool,
}

impl Root {
    /// The regular files below `folder` whose names are `wanted`. Names that begin with a dot and
    /// symbolic links are passed by, so the walk neither leaves the root nor goes in circles.
    ///
    /// # Errors
    /// When `folder` itself cannot be listed; a folder further down only counts as skipped.
    pub fn files(&self, folder: &RootPath, wanted: impl Fn(&str) -> bool) -> Result<Listing, RootError> {
        let mut listing = Listing::default();
        let mut seen = 0;
        // Paths wait here and not open folders: a wide vault has more folders than a process has
        // file descriptors. Each is opened below the root again.
        let mut waiting = vec![(folder.clone(), 0)];
        while let Some((here, depth)) = waiting.pop() {
            let entries = match self.dir.read_dir(here.for_system()) {
                Ok(entries) => entries,
                Err(error) if depth == 0 => return Err(RootError::io("listing", &here, error)),
                Err(_) => {
                    listing.skipped += 1;
                    continue;
                }
            };
            for entry in entries {
                seen += 1;
                if seen > ROOT_ENTRIES_MAX {
                    listing.truncated = true;
                    waiting.clear();
                    break;
                }
                match entry.ok().and_then(|entry| Seen::at(&here, &entry)) {
                    Some(Seen::Folder(_)) if depth == ROOT_DEPTH_MAX => listing.truncated = true,
                    Some(Seen::Folder(path)) => waiting.push((path, depth + 1)),
                    Some(Seen::File(found)) if found.path.name().is_some_and(&wanted) => {
                        listing.files.push(found);
                    }
                    Some(_) => {}
                    None => listing.skipped += 1,
                }
            }
        }
        listing.files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(listing)
    }

    /// The names in `folder`, at most `most`, in no order; those that are not UTF-8 are left out.
    ///
    /// # Errors
    /// When it cannot be listed.
    pub fn names(&self, folder: &RootPath, most: usize) -> Result<Vec<String>, RootError> {
        let entries = self.dir.read_dir(folder.for_system());
        let entries = entries.map_err(|error| RootError::io("listing", folder, error))?;
        let names = entries.take(most).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        Ok(names.collect())
    }
}

enum Seen {
    Folder(RootPath),
    File(Found),
    PassedBy,
}

impl Seen {
    /// What the entry is; `None` when that cannot be told.
    fn at(folder: &RootPath, entry: &DirEntry) -> Option<Self> {
        let name = entry.file_name();
        let name = name.to_str()?;
        if name.starts_with('.') {
            return Some(Self::PassedBy);
        }
        let path = folder.child(name);
        let kind = entry.file_type().ok()?;
        if kind.is_dir() {
            return Some(Self::Folder(path));
        }
        if !kind.is_file() {
            return Some(Self::PassedBy);
        }
        let metadata = entry.metadata().ok()?;
        let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
        let age = modified.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
        let modified_ns = age.and_then(|age| i64::try_from(age.as_nanos()).ok()).unwrap_or(0);
        Some(Self::File(Found { path, bytes: metadata.len(), modified_ns }))
    }
}
