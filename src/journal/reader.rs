//! A journal that is read.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row};
use serde_json::Value as Json;

use crate::exec::artifact::ArtifactStore;
use crate::id::CallId;
use crate::journal::error::{JournalError, Kind};
use crate::journal::format::{self, EndingShape, InputShape};
use crate::journal::schema::Identity;
use crate::journal::{FORMAT_VERSION, FORMAT_VERSION_MIN, Head, json, schema};
use crate::moment::Moment;

/// The recording of a run. Reading it changes nothing in it, and a run that is still being recorded
/// can be read along.
pub struct Journal {
    db: Connection,
    path: PathBuf,
    head: Head,
    pub(super) artifacts: Option<Arc<dyn ArtifactStore>>,
}

/// Who said yes or no to a call.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPermission {
    /// The call.
    pub call: CallId,
    /// `tool.permission.granted` or `tool.permission.denied`.
    pub name: String,
    /// Who said it, to what and why.
    pub said: Json,
}

/// An event as it stands in a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedEvent {
    /// Counts from 1.
    pub seq: u64,
    /// The input that caused it, counted from 1; `None` for what was set before the first.
    pub input: Option<u64>,
    /// The event: one line of JSON.
    pub line: String,
}

impl Journal {
    /// Opens a recording and reads its head.
    ///
    /// # Errors
    /// When the file is missing, is no recording, has a format that this helve does not read, or
    /// is damaged.
    pub fn open(path: &Path) -> Result<Self, JournalError> {
        let fault = |kind| JournalError::new(path, kind);
        let unread = JournalError::unread(path);
        match schema::identity(path).map_err(|why| fault(Kind::Unreadable(Arc::new(why))))? {
            Identity::Journal { version: FORMAT_VERSION_MIN..=FORMAT_VERSION } => {}
            Identity::Journal { version } if version > FORMAT_VERSION => {
                return Err(fault(Kind::Newer(version)));
            }
            Identity::Journal { version } => return Err(fault(Kind::Older(version))),
            Identity::NotJournal => return Err(fault(Kind::NotJournal)),
            Identity::NotSqlite => return Err(fault(Kind::NotSqlite)),
            Identity::Empty => return Err(fault(Kind::Empty)),
        }
        let db = schema::open(path).map_err(&unread)?;
        let body = db.query_row("SELECT body FROM head", (), |row| row.get::<_, String>(0)).optional();
        let body = body.map_err(&unread)?.ok_or_else(|| JournalError::row(path, "the head", "is missing"))?;
        let head = Head::from_json(&body).map_err(|why| JournalError::row(path, "the head", why))?;
        Ok(Self { db, path: path.to_owned(), head, artifacts: None })
    }

    /// The same journal, whose artifacts lie in `store`; [`Head::artifacts`] says where the run had its
    /// own.
    #[must_use]
    pub fn with_artifacts(mut self, store: Arc<dyn ArtifactStore>) -> Self {
        self.artifacts = Some(store);
        self
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the recorded run was made of.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The events in their order, read one by one.
    pub fn events(&self) -> RecordedEvents<'_> {
        RecordedEvents { journal: self, next: Some(1) }
    }

    /// Who said yes or no to which call, in the order of the run. A replay asks nobody. Recordings
    /// that were made before this was recorded have none.
    ///
    /// # Errors
    /// When the journal is damaged.
    pub fn permissions(&self) -> Result<Vec<RecordedPermission>, JournalError> {
        let unread = JournalError::unread(&self.path);
        if !self.db.table_exists(None, "permissions").map_err(&unread)? {
            return Ok(Vec::new());
        }
        let sql = "SELECT call, name, body FROM permissions ORDER BY seq";
        let mut statement = self.db.prepare(sql).map_err(&unread)?;
        let rows =
            statement.query_map((), |row| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get::<_, String>(2)?)));
        let read = |row: rusqlite::Result<(i64, String, String)>| {
            let (call, name, body) = row.map_err(&unread)?;
            let said = json::read(&body).map_err(|why| self.fault("a permission", why))?;
            Ok(RecordedPermission { call: CallId(call.cast_unsigned()), name, said })
        };
        rows.map_err(&unread)?.map(read).collect()
    }

    /// The event numbered `seq`; `None` past the last.
    pub(super) fn event(&self, seq: u64) -> Result<Option<RecordedEvent>, JournalError> {
        let sql = "SELECT seq, input, body FROM events WHERE seq >= ?1 ORDER BY seq LIMIT 1";
        self.row(sql, "event", seq, |row| {
            let input = row.get::<_, Option<i64>>(1)?.map(i64::cast_unsigned);
            Ok(RecordedEvent { seq, input, line: row.get(2)? })
        })
    }

    /// The input numbered `seq` with its moment; `None` past the last.
    pub(super) fn input(&self, seq: u64) -> Result<Option<(Moment, InputShape)>, JournalError> {
        let sql = "SELECT seq, at_ns, body FROM inputs WHERE seq >= ?1 ORDER BY seq LIMIT 1";
        let row = self.row(sql, "input", seq, |row| Ok((row.get::<_, i64>(1)?, row.get::<_, String>(2)?)))?;
        row.map(|(at, line)| {
            let input = format::read_input(&line).map_err(|why| self.fault(format!("input {seq}"), why))?;
            Ok((Moment::from_nanos(at.cast_unsigned()), input))
        })
        .transpose()
    }

    /// How many inputs there are.
    pub(super) fn input_count(&self) -> Result<u64, JournalError> {
        let count =
            self.db.query_row("SELECT coalesce(max(seq), 0) FROM inputs", (), |row| row.get::<_, i64>(0));
        count.map(i64::cast_unsigned).map_err(JournalError::unread(&self.path))
    }

    /// How the recording ended; `None` when it was cut off.
    pub(super) fn ending(&self) -> Result<Option<EndingShape>, JournalError> {
        let body = self.db.query_row("SELECT body FROM ending", (), |row| row.get::<_, String>(0)).optional();
        let Some(body) = body.map_err(JournalError::unread(&self.path))? else { return Ok(None) };
        json::read(&body).map(Some).map_err(|why| self.fault("the ending", why))
    }

    /// The row numbered `seq`. Asking for the next row there is finds a hole that asking for this
    /// one would take for the end.
    fn row<T>(
        &self,
        sql: &'static str,
        what: &str,
        seq: u64,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, JournalError> {
        let row = self.db.prepare_cached(sql).and_then(|mut statement| {
            statement
                .query_row([seq.cast_signed()], |row| {
                    let found: i64 = row.get(0)?;
                    if found == seq.cast_signed() { read(row).map(Some) } else { Ok(None) }
                })
                .optional()
        });
        match row.map_err(JournalError::unread(&self.path))? {
            Some(None) => Err(self.fault(format!("{what} {seq}"), "is missing")),
            Some(row) => Ok(row),
            None => Ok(None),
        }
    }

    pub(super) fn fault(&self, place: impl Into<String>, why: impl fmt::Display) -> JournalError {
        JournalError::row(&self.path, place, why)
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("path", &self.path).finish_non_exhaustive()
    }
}

/// The events of a journal. Ends after the first error.
#[derive(Debug)]
pub struct RecordedEvents<'j> {
    journal: &'j Journal,
    /// The number of the next one; `None` at the end.
    next: Option<u64>,
}

impl Iterator for RecordedEvents<'_> {
    type Item = Result<RecordedEvent, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        let seq = self.next.take()?;
        let event = self.journal.event(seq).transpose()?;
        self.next = event.is_ok().then_some(seq + 1);
        Some(event)
    }
}
