//! The full-text index of one folder of notes.
//!
//! It is kept in memory, one a process. A file in the vault was weighed and left: a search would
//! then write, past the lease of its call and outside the root's protection (SQLite opens files by
//! name), it would lock against other processes, and people's notes are synced and versioned by
//! tools that would pick it up. The price is that a process reads every note once.
//!
//! Before each search the index is brought in step with the folder. A note is read again when its
//! size or its time of writing differ from what they were. That alone would miss a note that is
//! written twice within one tick of the file system's clock, to the same length. So a note counts
//! as settled only when, at the time it was indexed, some other note bore a later time: the clock
//! had moved on by then, and a later write must show. What is not settled is read and hashed again.

use std::collections::HashMap;

use rusqlite::{Connection, Transaction, params};

use crate::harness::{Found, Root, RootPath};
use crate::limits::{NOTE_BYTES_MAX, NOTES_INDEXED_AT_ONCE, NOTES_INDEXED_BYTES_MAX, NOTES_INDEXED_MAX};
use crate::tool::{CallContext, ToolError};
use crate::tools::vault::note::{Note, hash};
use crate::tools::vault::note_path::is_note;
use crate::tools::vault::{Hit, NotePath};

const SCHEMA: &str = "
    CREATE TABLE notes (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
                        bytes INTEGER NOT NULL, modified_ns INTEGER NOT NULL, settled INTEGER NOT NULL,
                        hash TEXT NOT NULL);
    CREATE VIRTUAL TABLE texts USING fts5(title, tags, path, body, prefix = '2 3',
                                          tokenize = 'unicode61 remove_diacritics 2');";

/// A word in the title is worth eight in the body: who names a note after a thing writes about it.
const FIND: &str = "
    SELECT notes.path, notes.title, snippet(texts, 3, '<mark>', '</mark>', '…', 24),
           bm25(texts, 8.0, 4.0, 2.0, 1.0) AS rank
    FROM texts JOIN notes ON notes.id = texts.rowid
    WHERE texts MATCH ?1 ORDER BY rank, notes.path LIMIT ?2";

/// The index.
pub(super) struct Index {
    connection: Connection,
}

/// What the index knows of a note.
struct Known {
    id: i64,
    bytes: i64,
    modified_ns: i64,
    settled: bool,
    hash: String,
}

impl Known {
    fn is_current(&self, found: &Found) -> bool {
        self.settled && self.bytes == size(found) && self.modified_ns == found.modified_ns
    }
}

impl Index {
    /// An index of nothing.
    pub(super) fn new() -> Result<Self, ToolError> {
        let connection = Connection::open_in_memory().map_err(fault)?;
        connection.execute_batch(SCHEMA).map_err(fault)?;
        Ok(Self { connection })
    }

    /// Brings the index in step with the notes below `root`; says how many it had to leave out.
    /// A call that runs out of time keeps the batches it has done, so that the next gets further.
    pub(super) fn refresh(&mut self, root: Option<&Root>, cx: &CallContext) -> Result<usize, ToolError> {
        let listing =
            root.map(|root| root.files(&RootPath::root(), is_note)).transpose()?.unwrap_or_default();
        let newest = listing.files.iter().map(|found| found.modified_ns).max().unwrap_or_default();
        let (taken, left_out) = within_bounds(&listing.files);
        let mut skipped = listing.skipped + left_out;
        let mut known = self.known()?;
        for batch in taken.chunks(NOTES_INDEXED_AT_ONCE) {
            let transaction = self.connection.transaction().map_err(fault)?;
            for found in batch {
                cx.check()?;
                let before = known.remove(found.path.as_str());
                if before.as_ref().is_some_and(|before| before.is_current(found)) {
                    continue;
                }
                let settled = found.modified_ns < newest;
                let Some(root) = root else { continue };
                skipped += usize::from(!index_one(&transaction, root, (found, settled), before)?);
            }
            transaction.commit().map_err(fault)?;
        }
        self.forget(known.into_values())?;
        Ok(skipped)
    }

    /// The best notes for an expression, and how many there are.
    pub(super) fn find(&self, expression: &str, limit: usize) -> Result<(Vec<Hit>, usize), ToolError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut statement = self.connection.prepare_cached(FIND).map_err(fault)?;
        let hits = statement.query_map(params![expression, limit], |row| {
            Ok(Hit {
                path: row.get(0)?,
                title: row.get(1)?,
                snippet: row.get(2)?,
                score: -row.get::<_, f64>(3)?,
            })
        });
        let hits = hits.and_then(Iterator::collect).map_err(fault)?;
        let count = "SELECT count(*) FROM texts WHERE texts MATCH ?1";
        let total: i64 = self.connection.query_row(count, [expression], |row| row.get(0)).map_err(fault)?;
        Ok((hits, usize::try_from(total).unwrap_or_default()))
    }

    fn known(&self) -> Result<HashMap<String, Known>, ToolError> {
        let all = "SELECT path, id, bytes, modified_ns, settled, hash FROM notes";
        let mut statement = self.connection.prepare_cached(all).map_err(fault)?;
        let rows = statement.query_map([], |row| {
            let (path, id, bytes, modified_ns) = (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
            Ok((path, Known { id, bytes, modified_ns, settled: row.get(4)?, hash: row.get(5)? }))
        });
        rows.and_then(Iterator::collect).map_err(fault)
    }

    fn forget(&mut self, gone: impl Iterator<Item = Known>) -> Result<(), ToolError> {
        let transaction = self.connection.transaction().map_err(fault)?;
        for known in gone {
            remove(&transaction, known.id)?;
        }
        transaction.commit().map_err(fault)
    }
}

/// The notes that fit the index, by path, and how many do not.
fn within_bounds(files: &[Found]) -> (Vec<&Found>, usize) {
    let limit = u64::try_from(NOTE_BYTES_MAX).unwrap_or(u64::MAX);
    let mut bytes = 0;
    let fits = |found: &&Found| {
        if found.bytes > limit || bytes + found.bytes > NOTES_INDEXED_BYTES_MAX {
            return false;
        }
        bytes += found.bytes;
        true
    };
    let taken: Vec<&Found> = files.iter().filter(fits).take(NOTES_INDEXED_MAX).collect();
    let left_out = files.len() - taken.len();
    (taken, left_out)
}

/// Reads one note into the index; `false` when it cannot be read, and then it is not in the index.
fn index_one(
    transaction: &Transaction<'_>,
    root: &Root,
    (found, settled): (&Found, bool),
    before: Option<Known>,
) -> Result<bool, ToolError> {
    let content = root.read(&found.path, NOTE_BYTES_MAX).ok();
    if let (Some(before), Some(content)) = (&before, &content)
        && before.hash == hash(content)
    {
        let update = "UPDATE notes SET bytes = ?2, modified_ns = ?3, settled = ?4 WHERE id = ?1";
        let mut statement = transaction.prepare_cached(update).map_err(fault)?;
        statement.execute(params![before.id, size(found), found.modified_ns, settled]).map_err(fault)?;
        return Ok(true);
    }
    if let Some(before) = before {
        remove(transaction, before.id)?;
    }
    let path = NotePath::parse(found.path.as_str())?;
    let Some(note) = content.and_then(|content| Note::read(&path, content).ok()) else { return Ok(false) };
    insert(transaction, (found, settled), &note).map_err(fault)?;
    Ok(true)
}

fn insert(to: &Transaction<'_>, (found, settled): (&Found, bool), note: &Note) -> rusqlite::Result<()> {
    let (path, title) = (found.path.as_str(), &note.metadata.title);
    let row =
        "INSERT INTO notes (path, title, bytes, modified_ns, settled, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let values = params![path, title, size(found), found.modified_ns, settled, note.metadata.hash];
    to.prepare_cached(row)?.execute(values)?;
    let id = to.last_insert_rowid();
    let text = "INSERT INTO texts (rowid, title, tags, path, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    to.prepare_cached(text)?.execute(params![id, title, note.metadata.tags.join(" "), path, note.body])?;
    Ok(())
}

fn remove(from: &Transaction<'_>, id: i64) -> Result<(), ToolError> {
    for table in ["DELETE FROM texts WHERE rowid = ?1", "DELETE FROM notes WHERE id = ?1"] {
        from.prepare_cached(table).and_then(|mut statement| statement.execute([id])).map_err(fault)?;
    }
    Ok(())
}

fn size(found: &Found) -> i64 {
    i64::try_from(found.bytes).unwrap_or(i64::MAX)
}

fn fault(error: rusqlite::Error) -> ToolError {
    ToolError::runtime(format!("the search index failed: {error}"))
        .suggest("The index lives in memory; start the program anew to build it afresh.")
}
