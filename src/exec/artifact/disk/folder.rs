//! The open folder of a store.

use std::io::{self, Read};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::fs::{Dir, DirEntry, Metadata};

use crate::exec::artifact::disk::place::{make_subfolder, subfolder};
use crate::exec::artifact::disk::record::Record;
use crate::exec::artifact::disk::temporary::{self, Temporary, open_if_there, remove_if_there};
use crate::exec::artifact::disk::{ArtifactInfo, pin_table};
use crate::exec::artifact::store::is_digits;
use crate::exec::artifact::{Artifact, ArtifactId};
use crate::limits::ARTIFACT_BYTES_MAX;

/// Digits of the name of a shard.
const SHARD_DIGITS: usize = 2;
/// What the name of a record ends in.
const RECORD: &str = ".json";

/// The open folder of a store.
pub(super) struct Folder {
    pub dir: Dir,
}

/// What lies under a name.
pub(super) enum Found {
    Whole(Artifact),
    /// Something with another hash, or no file.
    Corrupt,
    Nothing,
}

impl Folder {
    /// Reads a content and compares it with its name. It is used by that, as of `now_ms`.
    pub fn read(&self, id: &ArtifactId, now_ms: u64) -> io::Result<Found> {
        let path = path_of(id);
        match self.lies_at(&path)? {
            Some(found) if found.is_file() && found.len() <= ARTIFACT_BYTES_MAX => {}
            Some(_) => return Ok(Found::Corrupt),
            None => return Ok(Found::Nothing),
        }
        let Some(mut file) = open_if_there(&self.dir, &path)? else { return Ok(Found::Nothing) };
        let mut content = Vec::new();
        (&mut file).take(ARTIFACT_BYTES_MAX).read_to_end(&mut content)?;
        if ArtifactId::of(&content) != *id {
            return Ok(Found::Corrupt);
        }
        // In a folder that is only read nobody evicts, and nothing is lost without the date.
        let _ = file.set_modified(time_of(now_ms));
        Ok(Found::Whole(content.into()))
    }

    /// Whether a file lies under the name, and if so uses it.
    pub fn touch(&self, id: &ArtifactId, now_ms: u64) -> io::Result<bool> {
        let path = path_of(id);
        if !self.lies_at(&path)?.is_some_and(|found| found.is_file()) {
            return Ok(false);
        }
        self.dir.open(&path)?.into_std().set_modified(time_of(now_ms)).map(|()| true)
    }

    /// What lies at a path, asked before it is opened: opening a pipe would wait for somebody to
    /// write into it.
    fn lies_at(&self, path: &str) -> io::Result<Option<Metadata>> {
        match self.dir.symlink_metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            found => found.map(Some),
        }
    }

    /// Puts a written content and its record under their names, the record first: a content is never
    /// seen without one.
    pub fn publish(&self, id: &ArtifactId, content: Temporary, record: Temporary) -> io::Result<()> {
        let shard = make_subfolder(&self.dir, shard_of(id))?;
        record.rename(&shard, &format!("{id}{RECORD}"))?;
        content.rename(&shard, id.as_str())
    }

    /// Takes a content away, and then its record.
    pub fn remove(&self, id: &ArtifactId) -> io::Result<()> {
        let shard = subfolder(&self.dir, shard_of(id))?;
        remove_if_there(&shard, id.as_str())?;
        remove_if_there(&shard, format!("{id}{RECORD}"))
    }

    /// All artifacts, in the order of their names, without their records. With `sweeping`, for which
    /// the store's lock is held, what dead processes have left is removed on the way.
    pub fn all(&self, sweeping: bool) -> io::Result<Vec<ArtifactInfo>> {
        let pinned = pin_table::pinned(&self.dir, sweeping)?;
        if sweeping {
            temporary::sweep(&self.dir)?;
        }
        let mut all = Vec::new();
        for entry in self.dir.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            let is_shard = |name: &str| name.len() == SHARD_DIGITS && is_digits(name);
            if let Some(name) = name.to_str().filter(|name| is_shard(name))
                && entry.file_type()?.is_dir()
            {
                let contents = entry.open_dir()?.entries()?.flatten();
                all.extend(contents.filter_map(|entry| info_of(name, &entry)));
            }
        }
        for info in &mut all {
            info.is_pinned = pinned.contains(&info.id);
        }
        all.sort_by(|one, other| one.id.cmp(&other.id));
        Ok(all)
    }

    /// The same artifact with what its record says.
    pub fn with_record(&self, mut info: ArtifactInfo) -> ArtifactInfo {
        let path = path_of(&info.id) + RECORD;
        let is_file = self.lies_at(&path).is_ok_and(|found| found.is_some_and(|found| found.is_file()));
        let text = if is_file { self.dir.read_to_string(&path).ok() } else { None };
        if let Some(record) = text.and_then(|text| serde_json::from_str::<Record>(&text).ok()) {
            info.tool = Some(record.tool);
            info.stored_at_ms = record.stored_at_ms;
        }
        info
    }
}

fn shard_of(id: &ArtifactId) -> &str {
    &id.as_str()[..SHARD_DIGITS]
}

fn path_of(id: &ArtifactId) -> String {
    format!("{}/{id}", shard_of(id))
}

/// The artifact that an entry of a shard is; `None` for whatever else lies there.
fn info_of(shard: &str, entry: &DirEntry) -> Option<ArtifactInfo> {
    let id = ArtifactId::parse(entry.file_name().to_str()?).filter(|id| shard_of(id) == shard)?;
    let found = entry.metadata().ok().filter(Metadata::is_file)?;
    let used_at_ms = milliseconds(found.modified().ok()?.into_std());
    Some(ArtifactInfo {
        id,
        bytes: found.len(),
        tool: None,
        stored_at_ms: used_at_ms,
        used_at_ms,
        is_pinned: false,
    })
}

pub(super) fn time_of(ms: u64) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_millis(ms)).unwrap_or(UNIX_EPOCH)
}

fn milliseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
