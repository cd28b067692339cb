//! The permission to change things, which dies with its call.
//!
//! A tool that ignores its token goes on running after its deadline; nobody can stop a thread.
//! So an effect does not ask whether the call is still wanted and then acts: it acts *under* the
//! lease, and ending the lease waits for an effect that has begun. After [`Lease::end`] returns,
//! no effect of the call lands any more.
//!
//! A lease also knows the moment until which it is good. A tool that blocks the thread on which
//! its executor would end the lease is therefore fenced all the same.

use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::harness::{FileState, Foreseen};
use crate::moment::{Clock, Moment};

/// The permission of one call to change things. Clones are the same permission.
#[derive(Clone)]
pub struct Lease {
    inner: Arc<Inner>,
}

struct Inner {
    // Effects are counted instead of being held under a lock, so that an effect may ask whether its
    // lease is alive, and two effects of one call do not wait for each other. One number for both
    // halves of the state: whether an effect may begin and that it has begun are one step.
    state: AtomicUsize,
    /// Whoever waits for the last effect waits here. The mutex holds nothing: the state changes
    /// without it, and it only keeps the last effect from going between a look and a wait.
    idle: (Mutex<()>, Condvar),
    parent: Option<Lease>,
    until: Option<(Moment, Arc<dyn Clock>)>,
    foreseen: Option<Arc<Foreseen>>,
}

/// The state of a lease that has ended; what is above this bit counts the effects under way.
const ENDED: usize = 1;
const EFFECT: usize = 2;

impl Lease {
    /// A lease that is alive until it is ended.
    pub fn new() -> Self {
        Self::with(None, None, None)
    }

    /// A lease that dies with this one, or when `deadline` has passed on `clock`, or when it is
    /// ended itself. An effect under it is an effect under both.
    #[must_use]
    pub fn until(&self, deadline: Moment, clock: Arc<dyn Clock>) -> Self {
        Self::with(Some(self.clone()), Some((deadline, clock)), None)
    }

    /// A lease that dies with this one and under which only these files may be written, each only
    /// while it stands as foreseen. It holds for what writes through [`write_file`](Self::write_file)
    /// or a [`Root`](crate::harness::Root); an effect of another kind is not looked into.
    #[must_use]
    pub fn foreseeing(&self, foreseen: Arc<Foreseen>) -> Self {
        Self::with(Some(self.clone()), None, Some(foreseen))
    }

    fn with(
        parent: Option<Self>,
        until: Option<(Moment, Arc<dyn Clock>)>,
        foreseen: Option<Arc<Foreseen>>,
    ) -> Self {
        let (state, idle) = (AtomicUsize::new(0), (Mutex::new(()), Condvar::new()));
        Self { inner: Arc::new(Inner { state, idle, parent, until, foreseen }) }
    }

    /// The files that may be written under this lease, when they were named.
    pub(in crate::harness) fn foreseen(&self) -> Option<&Arc<Foreseen>> {
        let inner = &self.inner;
        inner.foreseen.as_ref().or_else(|| inner.parent.as_ref().and_then(Self::foreseen))
    }

    /// Ends the lease. An effect that has begun is waited for; none begins afterwards.
    pub fn end(&self) {
        if self.revoke() {
            return;
        }
        let (lock, idle) = &self.inner.idle;
        let looking = lock.lock().unwrap_or_else(PoisonError::into_inner);
        drop(idle.wait_while(looking, |()| self.inner.is_busy()));
    }

    /// Ends the lease like [`end`](Self::end), but waits no longer than `patience` for effects
    /// that have begun. Answers whether none is left.
    pub fn end_within(&self, patience: Duration) -> bool {
        if self.revoke() {
            return true;
        }
        let (lock, idle) = &self.inner.idle;
        let looking = lock.lock().unwrap_or_else(PoisonError::into_inner);
        drop(idle.wait_timeout_while(looking, patience, |()| self.inner.is_busy()));
        !self.inner.is_busy()
    }

    /// Ends the lease without waiting: none begins afterwards, one that has begun may still land.
    /// Answers whether none is left.
    pub fn revoke(&self) -> bool {
        self.inner.state.fetch_or(ENDED, Ordering::SeqCst) < EFFECT
    }

    /// Whether effects are still permitted. Only good for leaving early: by the time the answer is
    /// read it may be wrong. An effect goes through [`commit`](Self::commit).
    pub fn is_alive(&self) -> bool {
        let above = self.inner.parent.as_ref().is_none_or(Self::is_alive);
        above && self.inner.in_time() && self.inner.state.load(Ordering::SeqCst) & ENDED == 0
    }

    /// Does one short effect under the lease. What takes long is prepared before: the file is
    /// written under a temporary name and only the rename happens here.
    ///
    /// # Errors
    /// [`LeaseLost`] when the call is over; then `effect` was not run.
    pub fn commit<T>(&self, effect: impl FnOnce() -> T) -> Result<T, LeaseLost> {
        let _counted = self.inner.begin()?;
        Ok(effect())
    }

    /// Writes a whole file under the lease: to a temporary name beside it, synced, then renamed.
    /// The file is never seen half-written, and a file that is replaced keeps its permissions.
    ///
    /// # Errors
    /// An I/O error, or one that wraps [`LeaseLost`]; then the old file is untouched.
    pub fn write_file(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        if !self.is_alive() {
            return Err(io::Error::other(LeaseLost));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut file = new_file().tempfile_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(content)?;
        if let Ok(old) = path.metadata() {
            file.as_file().set_permissions(old.permissions())?;
        }
        file.as_file().sync_all()?;
        let replace = || -> io::Result<()> {
            let Some(foreseen) = self.foreseen() else {
                file.persist(path)?;
                return Ok(());
            };
            let named = std::path::absolute(path)?;
            foreseen.check(&named, FileState::at(path)?).map_err(io::Error::other)?;
            file.persist(path)?;
            foreseen.did_write(named, FileState::of(Some(content)));
            Ok(())
        };
        self.commit(replace).map_err(io::Error::other)?
    }
}

/// Temporary files are private by default; a file that is to stay gets what the user's umask says.
#[cfg(unix)]
fn new_file() -> tempfile::Builder<'static, 'static> {
    use std::os::unix::fs::PermissionsExt;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".helve-").permissions(std::fs::Permissions::from_mode(0o666));
    builder
}

#[cfg(not(unix))]
fn new_file() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".helve-");
    builder
}

impl Inner {
    fn is_busy(&self) -> bool {
        self.state.load(Ordering::SeqCst) >= EFFECT
    }

    fn in_time(&self) -> bool {
        self.until.as_ref().is_none_or(|(deadline, clock)| clock.now() <= *deadline)
    }

    fn begin(&self) -> Result<Effect<'_>, LeaseLost> {
        let above = self.parent.as_ref().map(|parent| parent.inner.begin().map(Box::new)).transpose()?;
        if !self.in_time() {
            return Err(LeaseLost);
        }
        let begin = |state| (state & ENDED == 0).then_some(state + EFFECT);
        match self.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, begin) {
            Ok(_) => Ok(Effect { lease: self, _above: above }),
            Err(_) => Err(LeaseLost),
        }
    }
}

/// An effect that has begun. It is over when this is dropped, also by a panic.
struct Effect<'l> {
    lease: &'l Inner,
    _above: Option<Box<Self>>,
}

impl Drop for Effect<'_> {
    fn drop(&mut self) {
        // Nobody waits before the lease has ended, and to wake nobody is a system call all the same.
        if self.lease.state.fetch_sub(EFFECT, Ordering::SeqCst) == ENDED + EFFECT {
            let (lock, idle) = &self.lease.idle;
            let looking = lock.lock().unwrap_or_else(PoisonError::into_inner);
            idle.notify_all();
            drop(looking);
        }
    }
}

impl Default for Lease {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.inner.state.load(Ordering::SeqCst);
        let until = self.inner.until.as_ref().map(|(deadline, _)| deadline);
        f.debug_struct("Lease")
            .field("ended", &(state & ENDED != 0))
            .field("effects", &(state / EFFECT))
            .field("until", &until)
            .finish_non_exhaustive()
    }
}

/// The call is over: its effects no longer land.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseLost;

impl fmt::Display for LeaseLost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call is over; its effects no longer land")
    }
}

impl std::error::Error for LeaseLost {}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::mpsc::sync_channel;
    use std::thread;

    use super::*;

    struct Hand(AtomicU64);

    impl Clock for Hand {
        fn now(&self) -> Moment {
            Moment::from_millis(self.0.load(Ordering::SeqCst))
        }
    }

    #[test]
    fn nothing_begins_after_the_end() {
        let lease = Lease::new();
        assert_eq!(lease.commit(|| 1), Ok(1));
        lease.end();
        assert_eq!(lease.commit(|| panic!("an effect ran after the end")), Err::<(), _>(LeaseLost));
        assert!(!lease.clone().is_alive());
    }

    #[test]
    fn the_end_waits_for_an_effect_that_has_begun() {
        let lease = Lease::new();
        let (begun, has_begun) = sync_channel(0);
        let (release, released) = sync_channel::<()>(0);
        let worker = {
            let lease = lease.clone();
            thread::spawn(move || {
                lease.commit(|| {
                    begun.send(()).unwrap();
                    released.recv().unwrap();
                })
            })
        };
        has_begun.recv().unwrap();
        assert!(!lease.revoke(), "an effect is under way");
        assert!(!lease.end_within(Duration::from_millis(1)), "it still is");
        let ender = {
            let lease = lease.clone();
            thread::spawn(move || {
                lease.end();
                lease.inner.is_busy()
            })
        };
        release.send(()).unwrap();
        assert!(!ender.join().unwrap());
        assert_eq!(worker.join().unwrap(), Ok(()));
        assert!(lease.end_within(Duration::ZERO));
    }

    #[test]
    fn a_lease_dies_by_the_clock_without_anybody_ending_it() {
        let clock = Arc::new(Hand(AtomicU64::new(0)));
        let lease = Lease::new().until(Moment::from_millis(10), clock.clone());
        clock.0.store(10, Ordering::SeqCst);
        assert_eq!(lease.commit(|| ()), Ok(()), "the deadline itself is in time");
        clock.0.store(11, Ordering::SeqCst);
        assert_eq!(lease.commit(|| ()), Err(LeaseLost));
        assert!(!lease.is_alive());
    }

    #[test]
    fn a_lease_dies_with_the_one_above_it_and_not_the_other_way_round() {
        let clock = Arc::new(Hand(AtomicU64::new(0)));
        let turn = Lease::new();
        let (first, second) =
            (turn.until(Moment::from_millis(10), clock.clone()), turn.until(Moment::from_millis(10), clock));
        first.end();
        assert_eq!(second.commit(|| ()), Ok(()));
        turn.end();
        assert_eq!(second.commit(|| ()), Err(LeaseLost));
        assert!(!second.is_alive());
    }

    #[test]
    fn an_effect_that_panics_is_over() {
        let lease = Lease::new();
        let panicking = std::panic::AssertUnwindSafe(|| lease.commit(|| panic!("inside")));
        assert!(std::panic::catch_unwind(panicking).is_err());
        assert!(lease.end_within(Duration::ZERO));
    }

    #[test]
    fn an_effect_may_ask_for_its_own_lease() {
        let lease = Lease::new();
        assert_eq!(lease.commit(|| lease.is_alive()), Ok(true));
        assert_eq!(lease.commit(|| lease.commit(|| 1)), Ok(Ok(1)));
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note.md");
        let lease = Lease::new();
        lease.write_file(&path, b"one").unwrap();
        lease.write_file(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        lease.end();
        let error = lease.write_file(&path, b"three").unwrap_err();
        assert_eq!(error.to_string(), LeaseLost.to_string());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
    }

    #[test]
    fn a_file_that_changed_since_it_was_foreseen_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("note.md");
        let foreseen = Arc::new(Foreseen::new([(path.clone(), FileState::Absent)]));
        let lease = Lease::new().foreseeing(foreseen.clone());
        fs::write(&path, "somebody else").unwrap();
        let error = lease.write_file(&path, b"one").unwrap_err();
        assert!(error.to_string().contains("was changed after its write was permitted"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"somebody else");
        fs::remove_file(&path).unwrap();
        lease.write_file(&path, b"one").unwrap();
        lease.write_file(&path, b"two").unwrap();
        assert!(lease.write_file(&folder.path().join("other.md"), b"").is_err());
        assert_eq!(foreseen.written().files[&path], FileState::of(Some(b"two")));
    }

    #[cfg(unix)]
    #[test]
    fn a_replaced_file_keeps_its_permissions_and_a_new_one_is_not_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (path, plain) = (folder.path().join("note.md"), folder.path().join("plain"));
        let lease = Lease::new();
        lease.write_file(&path, b"one").unwrap();
        fs::write(&plain, b"").unwrap();
        assert_eq!(mode(&path), mode(&plain));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        lease.write_file(&path, b"two").unwrap();
        assert_eq!(mode(&path), 0o640);
    }
}
