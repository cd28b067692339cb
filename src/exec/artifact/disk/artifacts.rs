//! The store on disk.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::call::ToolName;
use crate::exec::artifact::disk::ArtifactInfo;
use crate::exec::artifact::disk::folder::{Folder, Found, time_of};
use crate::exec::artifact::disk::lock::{Locked, Tally};
use crate::exec::artifact::disk::pin_table::PinTable;
use crate::exec::artifact::disk::place::Place;
use crate::exec::artifact::disk::record::Record;
use crate::exec::artifact::disk::temporary::{self, Temporary};
use crate::exec::artifact::evict::{Kept, leaving};
use crate::exec::artifact::{Artifact, ArtifactError, ArtifactId, ArtifactLimits, ArtifactStore, Pinned};
use crate::harness::{Lease, Root, RootError};
use crate::limits::ARTIFACT_BYTES_MAX;

/// Keeps people from committing what lies here.
const IGNORE_FILE: &str = ".gitignore";

/// A store in a folder, which any number of processes may use at once. The folder is made when the
/// first artifact comes.
///
/// # Example
/// ```
/// use helve::exec::artifact::{ArtifactStore, DiskArtifacts};
/// use helve::{harness::Lease, run::unix_millis};
/// # let folder = tempfile::tempdir()?;
///
/// let store = DiskArtifacts::within(folder.path(), unix_millis);
/// let stored = store.put(b"a large output", &"search_code".into(), &Lease::new())?;
/// assert_eq!(&store.get(&stored.id)?[..], b"a large output");
/// assert!(store.list()?[0].is_pinned, "as long as `stored` lives");
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct DiskArtifacts {
    place: Place,
    limits: ArtifactLimits,
    now_ms: Box<dyn Fn() -> u64 + Send + Sync>,
    /// The folder, once it was there. A std mutex: under it the folder is opened or made, no more.
    folder: Mutex<Option<Arc<Folder>>>,
    pins: Arc<PinTable>,
}

/// What an eviction by hand has freed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Freed {
    /// What is gone.
    pub gone: Vec<ArtifactInfo>,
    /// How many stayed because a run that goes on refers to them.
    pub pinned: usize,
    /// How many stayed because they were used too lately.
    pub young: usize,
}

impl DiskArtifacts {
    /// The store in `folder` itself. `now_ms` says how many milliseconds have passed since 1970, such
    /// as [`unix_millis`](crate::run::unix_millis): this module reads no clock.
    pub fn at(folder: impl Into<PathBuf>, now_ms: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self::new(Place::at(folder.into()), Box::new(now_ms))
    }

    /// The store below `folder`, in `.helve/artifacts`, neither part of which may be a symbolic link:
    /// the folder may be somebody else's repository.
    pub fn within(folder: impl Into<PathBuf>, now_ms: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        Self::new(Place::within(folder.into()), Box::new(now_ms))
    }

    fn new(place: Place, now_ms: Box<dyn Fn() -> u64 + Send + Sync>) -> Self {
        let limits = ArtifactLimits::default();
        Self { place, limits, now_ms, folder: Mutex::default(), pins: Arc::default() }
    }

    /// The same store with other bounds.
    #[must_use]
    pub fn with_limits(mut self, limits: ArtifactLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Where the folder is, as it was given.
    pub fn path(&self) -> PathBuf {
        self.place.path()
    }

    /// Whether artifacts can be stored. Leaves nothing behind.
    ///
    /// # Errors
    /// Why not.
    pub fn check_writable(&self) -> Result<(), ArtifactError> {
        self.place.open().map_err(ArtifactError::folder(self.doing("opening")))?;
        let probed = Root::probe(&self.path());
        probed.map_err(|fault: RootError| ArtifactError::Folder {
            doing: self.doing("making"),
            why: fault.to_string(),
        })
    }

    /// All that is there, in the order of the names.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<Vec<ArtifactInfo>, ArtifactError> {
        let Some(folder) = self.opened()? else { return Ok(Vec::new()) };
        let all = folder.all(false).map_err(self.fault("listing"))?;
        Ok(all.into_iter().map(|info| folder.with_record(info)).collect())
    }

    /// Evicts what no run refers to and nobody has used for `unused`, within the bounds or not.
    ///
    /// # Errors
    /// When the folder cannot be read or changed.
    pub fn clean(&self, unused: Duration) -> Result<Freed, ArtifactError> {
        let mut freed = Freed::default();
        let Some(folder) = self.opened()? else { return Ok(freed) };
        let mut locked = Locked::take(&folder.dir)?;
        locked.forget_tally().map_err(self.fault("writing into"))?;
        let too_old = self.before(unused);
        for info in folder.all(true).map_err(self.fault("listing"))? {
            if info.is_pinned {
                freed.pinned += 1;
            } else if info.used_at_ms > too_old {
                freed.young += 1;
            } else {
                let info = folder.with_record(info);
                folder.remove(&info.id).map_err(self.fault("evicting from"))?;
                freed.gone.push(info);
            }
        }
        Ok(freed)
    }

    /// The folder, when it is there.
    fn opened(&self) -> Result<Option<Arc<Folder>>, ArtifactError> {
        let mut folder = self.folder();
        if folder.is_none() {
            let dir = self.place.open().map_err(self.fault("opening"))?;
            *folder = dir.map(|dir| Arc::new(Folder { dir }));
        }
        Ok(folder.clone())
    }

    /// The folder, made under the lease where it is missing.
    fn made(&self, lease: &Lease) -> Result<Arc<Folder>, ArtifactError> {
        if let Some(folder) = self.opened()? {
            return Ok(folder);
        }
        // Without the ignore file nothing works less.
        let make = || self.place.make().inspect(|dir| drop(dir.write(IGNORE_FILE, "*\n")));
        let dir = lease.commit(make)?.map_err(self.fault("making"))?;
        Ok(self.folder().insert(Arc::new(Folder { dir })).clone())
    }

    fn folder(&self) -> MutexGuard<'_, Option<Arc<Folder>>> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pins the content when it is there, whole. Pinned first, so that nobody evicts what is read.
    fn found(
        &self,
        folder: &Folder,
        id: &ArtifactId,
        lease: &Lease,
    ) -> Result<Option<Pinned>, ArtifactError> {
        let pin = {
            let _locked = Locked::take(&folder.dir)?;
            let touched = lease.commit(|| folder.touch(id, (self.now_ms)()))?;
            if !touched.map_err(self.fault("reading from"))? {
                return Ok(None);
            }
            self.pins.pin(&folder.dir, id).map_err(self.fault("pinning in"))?
        };
        match folder.read(id, (self.now_ms)()).map_err(self.fault("reading from"))? {
            Found::Whole(_) => Ok(Some(Pinned { id: id.clone(), pin })),
            Found::Corrupt | Found::Nothing => Ok(None),
        }
    }

    /// Writes the content and its record under names that nobody reads.
    fn written(
        &self,
        folder: &Folder,
        content: &[u8],
        tool: &ToolName,
    ) -> Result<(Temporary, Temporary), ArtifactError> {
        let stored_at_ms = (self.now_ms)();
        let record = Record { tool: tool.as_str().into(), stored_at_ms };
        let record =
            serde_json::to_vec(&record).map_err(io::Error::from).map_err(self.fault("writing into"))?;
        let (mut file, mut beside) = {
            let _locked = Locked::take(&folder.dir)?;
            temporary::sweep(&folder.dir).map_err(self.fault("writing into"))?;
            let create = || Temporary::create(&folder.dir).map_err(self.fault("writing into"));
            (create()?, create()?)
        };
        (beside.fill(&record).and_then(|()| file.fill(content)))
            .and_then(|()| file.file().set_modified(time_of(stored_at_ms)))
            .map_err(self.fault("writing into"))?;
        Ok((file, beside))
    }

    /// Who leaves for `bytes` more under the name `id`, and how much there is then. Nothing is looked at
    /// as long as what is known of the store says that they fit and that nothing is too old.
    fn make_room(
        &self,
        folder: &Folder,
        locked: &mut Locked,
        (id, bytes): (&ArtifactId, usize),
    ) -> Result<(Vec<ArtifactId>, Tally), ArtifactError> {
        let (too_old, size) = (self.before(self.limits.age_max), bytes as u64);
        let fits = |it: &Tally| it.oldest_used_ms >= too_old && self.limits.fit(it.bytes, it.count, size);
        if let Some(tally) = locked.tally().filter(fits) {
            let tally = Tally { bytes: tally.bytes + size, count: tally.count + 1, ..tally };
            return Ok((Vec::new(), tally));
        }
        let all = folder.all(true).map_err(self.fault("listing"))?;
        // What is there under the same name is replaced.
        let kept: Vec<_> = all.into_iter().filter(|info| info.id != *id).map(Kept::from).collect();
        let leaving = leaving(&kept, &self.limits, too_old, size)
            .ok_or(ArtifactError::Full { bytes, bytes_max: self.limits.bytes_max })?;
        let mut tally = Tally { bytes: size, count: 1, oldest_used_ms: (self.now_ms)() };
        for it in kept.iter().filter(|it| !leaving.contains(&it.id)) {
            tally.bytes += it.bytes;
            tally.count += 1;
            tally.oldest_used_ms = tally.oldest_used_ms.min(it.used);
        }
        Ok((leaving, tally))
    }

    fn before(&self, span: Duration) -> u64 {
        (self.now_ms)().saturating_sub(u64::try_from(span.as_millis()).unwrap_or(u64::MAX))
    }

    fn doing(&self, doing: &str) -> String {
        format!("{doing} the artifact folder `{}`", self.path().display())
    }

    fn fault(&self, doing: &str) -> impl FnOnce(io::Error) -> ArtifactError + use<> {
        ArtifactError::folder(self.doing(doing))
    }
}

impl ArtifactStore for DiskArtifacts {
    fn put(&self, content: &[u8], tool: &ToolName, lease: &Lease) -> Result<Pinned, ArtifactError> {
        let (id, bytes) = (ArtifactId::of(content), content.len());
        let bytes_max = self.limits.bytes_max.min(ARTIFACT_BYTES_MAX);
        if bytes as u64 > bytes_max {
            return Err(ArtifactError::Full { bytes, bytes_max });
        }
        let folder = self.made(lease)?;
        if let Some(pinned) = self.found(&folder, &id, lease)? {
            return Ok(pinned);
        }
        let (file, record) = self.written(&folder, content, tool)?;
        // From here on nobody else adds or evicts; what takes long was done before.
        let mut locked = Locked::take(&folder.dir)?;
        let (leaving, tally) = self.make_room(&folder, &mut locked, (&id, bytes))?;
        lease.commit(|| {
            locked.set_tally(tally).map_err(self.fault("writing into"))?;
            leaving.iter().try_for_each(|id| folder.remove(id)).map_err(self.fault("evicting from"))?;
            let pin = self.pins.pin(&folder.dir, &id).map_err(self.fault("pinning in"))?;
            folder.publish(&id, file, record).map_err(self.fault("writing into"))?;
            Ok(Pinned { id: id.clone(), pin })
        })?
    }

    fn get(&self, id: &ArtifactId) -> Result<Artifact, ArtifactError> {
        let missing = ArtifactError::Missing { id: id.clone() };
        let folder = self.opened()?.ok_or(missing.clone())?;
        match folder.read(id, (self.now_ms)()).map_err(self.fault("reading from"))? {
            Found::Whole(content) => Ok(content),
            Found::Corrupt => Err(ArtifactError::Corrupt { id: id.clone() }),
            Found::Nothing => Err(missing),
        }
    }
}

impl From<ArtifactInfo> for Kept {
    fn from(info: ArtifactInfo) -> Self {
        Self { id: info.id, bytes: info.bytes, used: info.used_at_ms, is_pinned: info.is_pinned }
    }
}

impl fmt::Debug for DiskArtifacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (folder, limits) = (self.path(), &self.limits);
        f.debug_struct("DiskArtifacts")
            .field("folder", &folder)
            .field("limits", limits)
            .finish_non_exhaustive()
    }
}
