//! From the command of a manifest to a program.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::text::system_words;

/// What a path in a manifest may begin with: the folder of the manifest itself.
const HERE: &str = "{here}";

/// A text of a manifest with the folder of the manifest put in.
pub fn placed(text: &str, here: &Path) -> String {
    text.replace(HERE, &here.to_string_lossy())
}

/// Whether there is a regular file that somebody may execute. Whether *we* may, only trying tells.
pub fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

/// Finds the program that `command` names: a name in the folders of `search`, a path with a slash
/// from the folder of the manifest.
///
/// # Errors
/// Why there is none, as a fragment.
pub fn find(command: &str, here: &Path, search: Option<&str>) -> Result<PathBuf, String> {
    if command.contains('/') {
        let path: PathBuf = here.join(placed(command, here)).components().collect();
        return match path.metadata() {
            Err(fault) => Err(format!("`{}`: {}", path.display(), system_words(&fault))),
            Ok(found) if !found.is_file() => Err(format!("`{}` is no file", path.display())),
            Ok(_) if !is_executable(&path) => Err(format!("`{}` is not executable", path.display())),
            Ok(_) => Ok(path),
        };
    }
    let folders = search.unwrap_or_default().split(':').filter(|folder| Path::new(folder).is_absolute());
    let mut found = folders.map(|folder| Path::new(folder).join(command));
    found.find(|path| is_executable(path)).ok_or_else(|| "no folder of PATH holds it".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_searched_and_a_path_is_taken_from_the_manifest() {
        let none = Path::new("/nowhere");
        assert!(find("sh", none, Some("/usr/bin:/bin")).is_ok());
        assert_eq!(find("sh", none, Some("bin:.")), Err("no folder of PATH holds it".into()));
        assert_eq!(find("sh", none, None), Err("no folder of PATH holds it".into()));
        assert!(find("/bin/sh", none, None).is_ok());
        assert_eq!(find("./sh", Path::new("/bin"), None), Ok("/bin/sh".into()));
        assert_eq!(find("/etc", none, None), Err("`/etc` is no file".into()));
        assert_eq!(
            find("{here}/passwd", Path::new("/etc"), None),
            Err("`/etc/passwd` is not executable".into())
        );
    }
}
