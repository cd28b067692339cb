//! The rows, written ahead.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Params};
use serde_json::Value as Json;

use crate::engine::{Input, Verdict};
use crate::event::Event;
use crate::id::CallId;
use crate::journal::error::{JournalError, Kind};
use crate::journal::format::{self, EndingShape};
use crate::journal::referred::Referred;
use crate::journal::{json, schema};
use crate::limits::JOURNAL_BYTES_MAX;
use crate::moment::Moment;

/// Writes one journal, until the first fault.
pub(super) struct Writer {
    db: Connection,
    path: PathBuf,
    bytes_max: u64,
    bytes: u64,
    inputs: u64,
    events: u64,
    /// How many events are committed.
    kept: u64,
    in_transaction: bool,
    referred: Referred,
}

impl Writer {
    pub fn new(db: Connection, path: &Path, referred: Referred) -> Self {
        Self {
            db,
            path: path.to_owned(),
            bytes_max: JOURNAL_BYTES_MAX,
            bytes: 0,
            inputs: 0,
            events: 0,
            kept: 0,
            in_transaction: false,
            referred,
        }
    }

    pub fn set_bytes_max(&mut self, bytes_max: u64) {
        self.bytes_max = bytes_max;
    }

    /// Commits an input by itself.
    pub fn input(&mut self, at: Moment, input: &Input) -> Result<(), JournalError> {
        let line = format::write_input(input, &self.referred).map_err(|kind| self.fault(kind))?;
        self.referred.learn(input);
        self.count(&line)?;
        self.inputs += 1;
        let row = (self.inputs.cast_signed(), at.as_nanos().cast_signed(), line);
        self.execute("INSERT INTO inputs (seq, at_ns, body) VALUES (?1, ?2, ?3)", row)
    }

    /// Commits who said yes or no to a call.
    pub fn permission(
        &mut self,
        at: Moment,
        call: CallId,
        name: &str,
        said: &Json,
    ) -> Result<(), JournalError> {
        let line = said.to_string();
        self.count(&line)?;
        let row = (at.as_nanos().cast_signed(), call.0.cast_signed(), name, line);
        self.execute("INSERT INTO permissions (at_ns, call, name, body) VALUES (?1, ?2, ?3, ?4)", row)
    }

    /// Writes an event, to be committed with the others of its input.
    pub fn event(&mut self, event: &Event) -> Result<(), JournalError> {
        let line = format::write_event(event, &self.referred).map_err(|kind| self.fault(kind))?;
        self.count(&line)?;
        if !self.in_transaction {
            self.execute("BEGIN", ())?;
            self.in_transaction = true;
        }
        // What was set before the first input has none.
        let input = (self.inputs > 0).then_some(self.inputs.cast_signed());
        let row = (event.seq.cast_signed(), input, line);
        self.execute("INSERT INTO events (seq, input, body) VALUES (?1, ?2, ?3)", row)?;
        self.events = event.seq;
        Ok(())
    }

    /// Commits the events of the latest input.
    pub fn commit(&mut self) -> Result<(), JournalError> {
        if self.in_transaction {
            self.execute("COMMIT", ())?;
            self.in_transaction = false;
            self.kept = self.events;
        }
        Ok(())
    }

    /// Writes the verdict; the recording is whole.
    pub fn end(&mut self, verdict: &Verdict) -> Result<(), JournalError> {
        self.commit()?;
        self.ending(&EndingShape::Verdict(verdict.into()))
    }

    /// Keeps what can be kept after a fault and says in the file why there is no more; answers how
    /// many events are kept.
    pub fn abandon(mut self, fault: &JournalError) -> u64 {
        // Each of these may fail for the fault's own reason; then the recording is one that was
        // cut off, and the file says nothing about why.
        if self.commit().is_err() {
            let _ = self.execute("ROLLBACK", ());
            self.in_transaction = false;
        }
        let _ = self.ending(&EndingShape::Stopped(fault.to_string()));
        self.kept
    }

    fn ending(&self, ending: &EndingShape) -> Result<(), JournalError> {
        let line = json::write(ending).map_err(|kind| self.fault(kind))?;
        self.execute("INSERT INTO ending (id, body) VALUES (1, ?1)", [line])
    }

    fn count(&mut self, line: &str) -> Result<(), JournalError> {
        self.bytes = self.bytes.saturating_add(line.len() as u64);
        if self.bytes > self.bytes_max {
            return Err(self.fault(Kind::Full { bytes_max: self.bytes_max }));
        }
        Ok(())
    }

    /// Runs one of the statements of this file, each of which is prepared once.
    fn execute(&self, sql: &'static str, params: impl Params) -> Result<(), JournalError> {
        let done = self.db.prepare_cached(sql).and_then(|mut statement| statement.execute(params));
        done.map(drop).map_err(JournalError::unwritten(&self.path))
    }

    fn fault(&self, kind: Kind) -> JournalError {
        JournalError::new(&self.path, kind)
    }
}

impl Drop for Writer {
    /// At the end, after a fault, and when a run is torn down in its middle.
    fn drop(&mut self) {
        if self.in_transaction {
            let _ = self.execute("ROLLBACK", ());
        }
        schema::close(&self.db);
    }
}
