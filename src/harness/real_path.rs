//! Where a path leads.

use std::path::{Path, PathBuf};

/// Where a path leads: a link on the way counts as what it points to. What is not there yet is taken
/// as it is named.
pub fn real_path(path: &Path) -> PathBuf {
    let known = path.ancestors().find_map(|folder| Some((folder, folder.canonicalize().ok()?)));
    let Some((folder, real)) = known else { return path.to_owned() };
    match path.strip_prefix(folder) {
        Ok(rest) if rest.as_os_str().is_empty() => real,
        Ok(rest) => real.join(rest),
        Err(_) => real,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_as_far_as_there_is_something() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path().canonicalize().unwrap();
        std::fs::create_dir(here.join("a")).unwrap();
        std::fs::write(here.join("a/there"), "").unwrap();
        std::os::unix::fs::symlink(here.join("a"), here.join("b")).unwrap();
        for name in ["there", "new", "new/deeper"] {
            assert_eq!(real_path(&here.join("b").join(name)), here.join("a").join(name));
        }
    }
}
