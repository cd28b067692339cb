//! Included texts from folders.

use std::path::{Component, Path, PathBuf};

use crate::harness::{Root, RootError, RootPath};
use crate::limits::INCLUDE_SIBLINGS_MAX;
use crate::loader::{LoadFault, Loader, Location, near_path};

/// Reads included files from one folder, and from others that are allowed: nothing outside of them,
/// whatever path or symbolic link leads there.
///
/// A path is relative to the file that it is written in, whose spelling counts and not where a link
/// leads. `..` may leave the folder of that file as long as the result lies in an allowed folder.
/// Every file is opened below one [`Root`], so a folder that is swapped for a link between the look
/// and the reading leads nowhere either.
///
/// ```
/// use std::path::Path;
///
/// use helve::{harness::FolderLoader, tree::{self, CompileOptions}};
///
/// let loader = FolderLoader::open(Path::new("trees"))?.allow(Path::new("examples"))?;
/// let (tree, _) =
///     tree::load_from(&loader, "no_such.xml", &helve::node::catalog(), &CompileOptions::default());
/// assert!(tree.is_none());
/// # Ok::<(), helve::harness::RootError>(())
/// ```
#[derive(Clone, Debug)]
pub struct FolderLoader {
    folders: Vec<Folder>,
}

/// One allowed folder.
#[derive(Clone, Debug)]
struct Folder {
    root: Root,
    /// Where it lies, without links.
    real: PathBuf,
    /// As it was named.
    shown: PathBuf,
}

impl Folder {
    fn open(path: &Path) -> Result<Self, RootError> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let root = Root::open(path)?;
        let real = std::fs::canonicalize(path);
        let real = real.map_err(|error| RootError::io("looking at", path.display(), error))?;
        let shown = if path == Path::new(".") { PathBuf::new() } else { path.to_owned() };
        Ok(Self { root, real, shown })
    }

    fn name(&self, below: &RootPath) -> String {
        below.parts().fold(self.shown.clone(), |folder, part| folder.join(part)).display().to_string()
    }
}

impl FolderLoader {
    /// Allows the files in `folder`, which is the top: the place that paths begin at which are
    /// written in no file.
    ///
    /// # Errors
    /// When there is no such folder, or it cannot be opened.
    pub fn open(folder: &Path) -> Result<Self, RootError> {
        Ok(Self { folders: vec![Folder::open(folder)?] })
    }

    /// Allows the files in the folder of the file `main`; answers the place of that file too, which
    /// itself is trusted and may be a link.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn beside(main: &Path) -> Result<(Self, Location), RootError> {
        let loader = Self::open(main.parent().unwrap_or(Path::new("")))?;
        let file = main.file_name().unwrap_or_default().to_string_lossy();
        let real = std::fs::canonicalize(main).unwrap_or_else(|_| main.to_owned());
        let location = Location {
            at: format!("0:{file}").into(),
            id: real.display().to_string().into(),
            name: main.display().to_string().into(),
        };
        Ok((loader, location))
    }

    /// Allows the files in one more folder.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn allow(mut self, folder: &Path) -> Result<Self, RootError> {
        self.folders.push(Folder::open(folder)?);
        Ok(self)
    }

    /// The folder and the path below it of a place.
    fn find(&self, at: &str) -> Option<(&Folder, RootPath)> {
        let (number, below) = at.split_once(':').unwrap_or(("0", ""));
        let folder = self.folders.get(number.parse::<usize>().ok()?)?;
        Some((folder, below_root(Path::new(below)).ok()?))
    }

    /// The absolute path that `path` means in the file at `from`.
    fn target(&self, from: &Location, path: &str) -> Option<PathBuf> {
        let (folder, file) = self.find(&from.at)?;
        let here = file.parent().parts().fold(folder.real.clone(), |folder, part| folder.join(part));
        Some(without_dots(&here.join(path)))
    }

    /// A place in one allowed folder, when it is there.
    fn place(&self, number: usize, below: &RootPath) -> Result<Location, RootError> {
        let folder = &self.folders[number];
        let canonical = folder.root.canonical(below)?;
        let real = canonical.parts().fold(folder.real.clone(), |folder, part| folder.join(part));
        Ok(Location {
            at: format!("{number}:{below}").into(),
            id: real.display().to_string().into(),
            name: folder.name(below).into(),
        })
    }

    fn outside(&self, by_link: bool) -> LoadFault {
        let folders: Vec<_> = (self.folders.iter())
            .map(|folder| match folder.shown.display().to_string() {
                shown if shown.is_empty() => "the current folder".to_owned(),
                shown => format!("`{shown}`"),
            })
            .collect();
        let way = if by_link { "a symbolic link on the way leads out of them; " } else { "" };
        LoadFault::Outside {
            why: format!("{way}allowed is what lies in {}", folders.join(" or ")),
            help: "Allow a folder that it lies in with `--include-root DIR`, or move it.".to_owned(),
        }
    }

    fn fault(&self, fault: &RootError, path: &str, near: Option<String>) -> LoadFault {
        if fault.is_not_found() {
            LoadFault::Missing { near }
        } else if fault.is_escape() {
            self.outside(true)
        } else if fault.is_too_large() {
            LoadFault::TooLarge
        } else {
            let why = fault.to_string().replace(&format!("`{}`", fault.path()), &format!("`{path}`"));
            LoadFault::Unreadable { why, help: fault.suggestion().to_owned() }
        }
    }

    /// A path to something that is there, near to one to nothing.
    fn near(&self, number: usize, below: &Path, path: &str) -> Option<String> {
        let folder = below_root(below.parent()?).ok()?;
        let names = self.folders[number].root.names(&folder, INCLUDE_SIBLINGS_MAX).ok()?;
        near_path(path, names.iter().map(String::as_str))
    }
}

impl Loader for FolderLoader {
    fn locate(&self, from: &Location, path: &str) -> Result<Location, LoadFault> {
        let Some(target) = self.target(from, path) else { return Err(LoadFault::Nowhere) };
        let mut denied = None;
        for (number, folder) in self.folders.iter().enumerate() {
            let Ok(below) = target.strip_prefix(&folder.real) else { continue };
            match below_root(below).and_then(|below| self.place(number, &below)) {
                Ok(location) => return Ok(location),
                Err(fault) => {
                    denied = denied.or_else(|| Some(self.fault(&fault, path, self.near(number, below, path))))
                }
            }
        }
        Err(denied.unwrap_or_else(|| self.outside(false)))
    }

    fn read(&self, at: &Location, bytes_max: usize) -> Result<Vec<u8>, LoadFault> {
        let Some((folder, below)) = self.find(&at.at) else { return Err(LoadFault::Nowhere) };
        folder.root.read(&below, bytes_max).map_err(|fault| self.fault(&fault, &at.name, None))
    }
}

/// A path below a root; the empty one is the root itself.
fn below_root(below: &Path) -> Result<RootPath, RootError> {
    let text = below.to_string_lossy();
    if text.is_empty() { Ok(RootPath::root()) } else { RootPath::parse(&text) }
}

/// An absolute path without `.` and `..`, taken out of the text as [`RootPath`] does it.
fn without_dots(path: &Path) -> PathBuf {
    let mut parts = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts
}
