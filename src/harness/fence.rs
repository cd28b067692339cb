//! Where a process may write: Linux' Landlock, put upon the thread that starts it.
//!
//! A process inherits what holds for the thread that started it, and what Landlock has taken from a
//! thread is never given back. So a thread is made for each start, fenced, and ends when the process
//! is there. The usual way, between `fork` and `exec`, would be `unsafe`; this one needs no code there.

use std::io;
use std::path::PathBuf;
use std::thread::{Builder, scope};

use landlock::{
    ABI, AccessFs, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, path_beneath_rules,
};

use crate::harness::Enforced;

/// The version of Landlock that knows every way to change a file: writing, making, removing, moving
/// between folders and cutting to a length. Linux has it since 6.2.
const ABI_WHOLE: ABI = ABI::V3;

/// Whatever is written there changes nothing.
const SINKS: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Runs `start` on a thread that may write to files in and below `writable` and to no others, and
/// says how far that holds for what it starts. A path that is not there is left out.
pub(super) fn behind<T: Send>(
    writable: &[PathBuf],
    start: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<(T, Enforced)> {
    scope(|scope| {
        let started = Builder::new().name("helve fence".to_owned()).spawn_scoped(scope, || {
            let enforced = raise(writable).unwrap_or_else(|fault| {
                Enforced::Not(format!("the system refused to fence it in: {fault}").into())
            });
            start().map(|started| (started, enforced))
        })?;
        started.join().unwrap_or_else(|_| Err(io::Error::other("the thread that starts programs panicked")))
    })
}

/// Fences the current thread in, for ever.
fn raise(writable: &[PathBuf]) -> Result<Enforced, RulesetError> {
    let writes = AccessFs::from_write(ABI_WHOLE);
    let status = Ruleset::default()
        .handle_access(writes)?
        .create()?
        .add_rules(path_beneath_rules(SINKS, writes))?
        .add_rules(path_beneath_rules(writable, writes))?
        .restrict_self()?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => Enforced::Fully,
        RulesetStatus::PartiallyEnforced => Enforced::Partly(
            "the Landlock of this kernel cannot keep it from cutting files elsewhere to a length; Linux 6.2 can"
                .into(),
        ),
        RulesetStatus::NotEnforced => Enforced::Not(
            "the kernel has no Landlock, or it is switched off: it writes what its user may write".into(),
        ),
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// What a thread behind the fence can do; `None` where the system has no fences.
    fn behind_one(writable: &Path, does: impl FnOnce() -> io::Result<()> + Send) -> Option<bool> {
        let (done, enforced) = behind(&[writable.to_owned()], || Ok(does())).unwrap();
        (enforced == Enforced::Fully).then_some(done.is_ok())
    }

    #[test]
    fn inside_everything_may_be_changed_and_outside_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (inside, outside) = (folder.path().join("inside"), folder.path().join("outside"));
        fs::create_dir(&inside).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("there"), "as it was").unwrap();
        let there = outside.join("there");
        let check = |does: &(dyn Fn() -> io::Result<()> + Sync), expected: bool| {
            // Where the system has no fences there is nothing to see; the report says so.
            if let Some(done) = behind_one(&inside, does) {
                assert_eq!(done, expected);
            }
        };
        check(&|| fs::write(inside.join("new"), "x"), true);
        check(&|| fs::create_dir(inside.join("folder")), true);
        check(&|| fs::rename(inside.join("new"), inside.join("folder/new")), true);
        check(&|| fs::remove_file(inside.join("folder/new")), true);
        check(&|| fs::write("/dev/null", "x"), true);
        check(&|| fs::read(&there).map(drop), true);
        check(&|| fs::write(&there, "x"), false);
        check(&|| fs::write(outside.join("new"), "x"), false);
        check(&|| fs::create_dir(outside.join("folder")), false);
        check(&|| fs::remove_file(&there), false);
        check(&|| fs::rename(&there, inside.join("stolen")), false);
        check(&|| std::os::unix::fs::symlink(&outside, inside.join("link")), true);
        check(&|| fs::write(inside.join("link/there"), "x"), false);
        assert_eq!(fs::read_to_string(&there).unwrap(), "as it was");
    }

    #[test]
    fn the_fence_ends_with_its_thread() {
        let folder = tempfile::tempdir().unwrap();
        behind(&[], || Ok(())).unwrap();
        fs::write(folder.path().join("free"), "x").unwrap();
        assert_eq!(
            behind(&[], || io::Result::<()>::Err(io::ErrorKind::Other.into())).unwrap_err().kind(),
            io::ErrorKind::Other
        );
    }
}
