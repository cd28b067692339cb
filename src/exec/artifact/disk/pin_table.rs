//! The pins of this process, and reading everybody's.
//!
//! A process that pins has a file in `pins/`, which it keeps locked: rows of 32 digits, or of dashes
//! where a pin is gone. Whoever evicts reads the files that are locked and removes the others: their
//! processes are dead, and what they referred to is free.

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cap_std::fs::Dir;

use crate::exec::artifact::disk::place::make_subfolder;
use crate::exec::artifact::disk::temporary::{create_new, is_locked, open_if_there, remove_if_there};
use crate::exec::artifact::{ArtifactId, Pin};
use crate::limits::ARTIFACTS_PIN_FILE_BYTES_MAX;

const FOLDER: &str = "pins";
/// Digits and the end of the line.
const ROW_BYTES: u64 = ArtifactId::DIGITS as u64 + 1;
/// A row without a pin.
const FREE: &str = "--------------------------------";

/// The pins of one store of this process.
#[derive(Default)]
pub(super) struct PinTable(Mutex<Rows>);

#[derive(Default)]
struct Rows {
    /// Made for the first pin.
    file: Option<PinFile>,
    pins: HashMap<ArtifactId, Row>,
    free: Vec<u64>,
}

struct Row {
    place: u64,
    count: usize,
}

impl PinTable {
    /// Pins an artifact. The store's lock is held, so nobody evicts meanwhile.
    pub fn pin(self: &Arc<Self>, store: &Dir, id: &ArtifactId) -> io::Result<Pin> {
        self.rows().add(store, id)?;
        Ok(Pin::new(OnePin { table: self.clone(), id: id.clone() }))
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Rows {
    fn add(&mut self, store: &Dir, id: &ArtifactId) -> io::Result<()> {
        if let Some(row) = self.pins.get_mut(id) {
            row.count += 1;
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(PinFile::create(store)?),
        };
        let place = self.free.pop().unwrap_or(self.pins.len() as u64);
        if let Err(error) = file.write(place, id.as_str()) {
            self.free.push(place);
            return Err(error);
        }
        self.pins.insert(id.clone(), Row { place, count: 1 });
        Ok(())
    }

    /// No lock of the store is asked for: whoever reads the row while it is written takes it for
    /// pinned or for free, and either is right.
    fn release(&mut self, id: &ArtifactId) {
        let Some(row) = self.pins.get_mut(id) else { return };
        row.count -= 1;
        if row.count > 0 {
            return;
        }
        let place = row.place;
        self.pins.remove(id);
        // A row that cannot be freed keeps its artifact until the process ends, which loses nothing.
        if self.file.as_mut().is_some_and(|file| file.write(place, FREE).is_ok()) {
            self.free.push(place);
        }
    }
}

/// One pin of one holder.
struct OnePin {
    table: Arc<PinTable>,
    id: ArtifactId,
}

impl Drop for OnePin {
    fn drop(&mut self) {
        self.table.rows().release(&self.id);
    }
}

/// The file of a process, locked.
struct PinFile {
    dir: Dir,
    name: String,
    file: File,
}

impl PinFile {
    fn create(store: &Dir) -> io::Result<Self> {
        let dir = make_subfolder(store, FOLDER)?;
        let (name, file) = create_new(&dir)?;
        // Somebody who lists may just be looking whether it is locked, so this may wait a moment.
        file.lock()?;
        Ok(Self { dir, name, file })
    }

    fn write(&mut self, place: u64, row: &str) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(place * ROW_BYTES))?;
        self.file.write_all(format!("{row}\n").as_bytes())
    }
}

impl Drop for PinFile {
    fn drop(&mut self) {
        let _ = self.dir.remove_file(&self.name);
    }
}

/// Everything that a living process has pinned. With `sweeping`, for which the store's lock is held,
/// the files of dead ones are removed.
pub(super) fn pinned(store: &Dir, sweeping: bool) -> io::Result<BTreeSet<ArtifactId>> {
    let dir = match store.open_dir(FOLDER) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
        dir => dir?,
    };
    let mut ids = BTreeSet::new();
    for entry in dir.entries()? {
        let entry = entry?;
        if !entry.file_type()?.is_file() {
            continue;
        }
        match open_if_there(&dir, entry.file_name())? {
            Some(file) if is_locked(&file)? => ids.extend(rows_of(file)?),
            Some(_) if sweeping => remove_if_there(&dir, entry.file_name())?,
            _ => {}
        }
    }
    Ok(ids)
}

fn rows_of(file: File) -> io::Result<Vec<ArtifactId>> {
    let mut rows = String::new();
    file.take(ARTIFACTS_PIN_FILE_BYTES_MAX).read_to_string(&mut rows)?;
    Ok(rows.lines().filter_map(ArtifactId::parse).collect())
}
