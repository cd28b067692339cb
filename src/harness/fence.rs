//! What a process may reach: Linux' Landlock, put upon the thread that starts it.
//!
//! A process inherits what holds for the thread that started it, and what Landlock has taken from a
//! thread is never given back. So a thread is made for each start, fenced, and ends when the process
//! is there. The usual way, between `fork` and `exec`, would be `unsafe`; this one needs no code there.

use std::io;
use std::path::PathBuf;
use std::thread::{Builder, scope};

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError,
    RulesetStatus, Scope, path_beneath_rules,
};

use crate::harness::{Bound, Enforced};

/// The version of Landlock that knows every way to change a file: writing, making, removing, moving
/// between folders and cutting to a length. Linux has it since 6.2.
const ABI_FILES: ABI = ABI::V3;
/// The version that knows TCP; Linux has it since 6.7.
const ABI_TCP: ABI = ABI::V4;
/// The version that knows signals and sockets without a file; Linux has it since 6.12.
const ABI_SCOPES: ABI = ABI::V6;

/// Whatever is written there changes nothing.
const SINKS: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What is not fenced off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Gaps {
    /// Files and folders that may be written, with all below; one that is not there is left out.
    pub writable: Vec<PathBuf>,
    /// Whether the network may be reached.
    pub network: bool,
}

/// How far a fence holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Fence {
    Raised { abi: ABI, network: bool },
    Refused(String),
}

/// Runs `start` on a thread that reaches what is in the gaps and nothing else that Landlock knows, and
/// says how far that holds for what it starts.
pub(super) fn behind<T: Send>(
    gaps: &Gaps,
    start: impl FnOnce() -> io::Result<T> + Send,
) -> io::Result<(T, Fence)> {
    scope(|scope| {
        let started = Builder::new().name("helve fence".to_owned()).spawn_scoped(scope, || {
            let fence = raise(gaps).unwrap_or_else(|fault| Fence::Refused(fault.to_string()));
            start().map(|started| (started, fence))
        })?;
        started.join().unwrap_or_else(|_| Err(io::Error::other("the thread that starts programs panicked")))
    })
}

/// Fences the current thread in, for ever, as far as the kernel can.
fn raise(gaps: &Gaps) -> Result<Fence, RulesetError> {
    let writes = AccessFs::from_write(ABI_FILES);
    let mut ruleset = Ruleset::default().handle_access(writes)?.scope(Scope::Signal)?;
    if !gaps.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(ABI_TCP))?.scope(Scope::AbstractUnixSocket)?;
    }
    let status = ruleset
        .create()?
        .add_rules(path_beneath_rules(SINKS, writes))?
        .add_rules(path_beneath_rules(&gaps.writable, writes))?
        .restrict_self()?;
    let abi = match (status.ruleset, status.landlock) {
        (
            RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced,
            LandlockStatus::Available { effective_abi, .. },
        ) => effective_abi,
        _ => ABI::Unsupported,
    };
    Ok(Fence::Raised { abi, network: gaps.network })
}

impl Fence {
    /// How far a bound is enforced by it; `None` for those that it has nothing to do with.
    pub fn enforces(&self, bound: Bound) -> Option<Enforced> {
        Some(match (bound, self) {
            (Bound::Writes | Bound::Network | Bound::Privileges, Self::Refused(why)) => {
                Enforced::Not(format!("the system refused to fence it in: {why}").into())
            }
            (Bound::Writes, Self::Raised { abi, .. }) => writes(*abi),
            (Bound::Network, Self::Raised { abi, network }) => reaches(*abi, *network),
            (Bound::Privileges, Self::Raised { abi, .. }) => rights(*abi),
            _ => return None,
        })
    }
}

fn writes(abi: ABI) -> Enforced {
    match abi {
        ABI::Unsupported => Enforced::Not(
            "the kernel has no Landlock, or it is switched off: it writes what its user may write".into(),
        ),
        abi if abi < ABI_FILES => Enforced::Partly(
            "the Landlock of this kernel cannot keep it from cutting files elsewhere to a length; Linux 6.2 can"
                .into(),
        ),
        _ => Enforced::Fully,
    }
}

fn reaches(abi: ABI, network: bool) -> Enforced {
    match abi {
        _ if network => Enforced::Not("its manifest gives it the network".into()),
        abi if abi < ABI_TCP => Enforced::Not(
            "it reaches what its user reaches: the kernel has no Landlock that knows TCP; Linux 6.7 has"
                .into(),
        ),
        abi if abi < ABI_SCOPES => Enforced::Partly(
            "TCP is shut to it; other protocols and the sockets of this machine are not".into(),
        ),
        _ => Enforced::Partly("TCP is shut to it; other protocols and sockets that are files are not".into()),
    }
}

fn rights(abi: ABI) -> Enforced {
    match abi {
        abi if abi < ABI_SCOPES => {
            Enforced::Not("it runs as the host's own user, and could undo what that user may undo".into())
        }
        _ => Enforced::Partly(
            "it runs as the host's own user, but can neither signal nor trace a process that is not its own"
                .into(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// What a thread behind the fence can do; `None` where the system has no fences.
    fn behind_one(writable: &Path, does: impl FnOnce() -> io::Result<()> + Send) -> Option<bool> {
        let gaps = Gaps { writable: vec![writable.to_owned()], network: false };
        let (done, fence) = behind(&gaps, || Ok(does())).unwrap();
        (fence.enforces(Bound::Writes) == Some(Enforced::Fully)).then_some(done.is_ok())
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
        behind(&Gaps::default(), || Ok(())).unwrap();
        fs::write(folder.path().join("free"), "x").unwrap();
        assert_eq!(
            behind(&Gaps::default(), || io::Result::<()>::Err(io::ErrorKind::Other.into()))
                .unwrap_err()
                .kind(),
            io::ErrorKind::Other
        );
    }

    #[test]
    fn tcp_is_reached_through_a_gap_alone() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connect = |network: bool| {
            let gaps = Gaps { writable: Vec::new(), network };
            behind(&gaps, || Ok(std::net::TcpStream::connect(address).map_err(|fault| fault.kind()))).unwrap()
        };
        assert!(connect(true).0.is_ok());
        let (connected, fence) = connect(false);
        if let Some(Enforced::Partly(_)) = fence.enforces(Bound::Network) {
            assert_eq!(connected.unwrap_err(), io::ErrorKind::PermissionDenied);
        }
    }

    #[test]
    fn a_report_promises_no_more_than_the_kernel_has() {
        let states = |abi: ABI, network: bool| {
            let fence = Fence::Raised { abi, network };
            let state = |bound| fence.enforces(bound).map(|it| it.as_str());
            [Bound::Writes, Bound::Network, Bound::Privileges].map(|bound| state(bound).unwrap())
        };
        let (whole, partly, none) = ("enforced", "partly_enforced", "not_enforced");
        assert_eq!(states(ABI::Unsupported, false), [none, none, none]);
        assert_eq!(states(ABI::V2, false), [partly, none, none]);
        assert_eq!(states(ABI::V3, false), [whole, none, none]);
        assert_eq!(states(ABI::V4, false), [whole, partly, none]);
        assert_eq!(states(ABI::V6, false), [whole, partly, partly]);
        assert_eq!(states(ABI::V6, true), [whole, none, partly]);
        assert_eq!(Fence::Refused("no".into()).enforces(Bound::Memory), None);
    }
}
