//! The tables, and how the database is opened.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::journal::FORMAT_VERSION;
use crate::limits::JOURNAL_LOCK_WAIT;

/// What marks a database as a journal: `HLVE`.
const APPLICATION_ID: u32 = 0x484c_5645;
/// The length of SQLite's own header.
const HEADER_BYTES: u64 = 100;

// Moments are unsigned and SQLite's integers are not: one past 292 years is stored as the negative
// number of the same bits.
const TABLES: &str = "
    CREATE TABLE head (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE inputs (
        seq INTEGER PRIMARY KEY,
        at_ns INTEGER NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE events (
        seq INTEGER PRIMARY KEY,
        input INTEGER REFERENCES inputs (seq),
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE permissions (
        seq INTEGER PRIMARY KEY,
        at_ns INTEGER NOT NULL,
        call INTEGER NOT NULL,
        name TEXT NOT NULL,
        body TEXT NOT NULL
    ) STRICT;
    CREATE TABLE ending (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        body TEXT NOT NULL
    ) STRICT;
";

/// Opens the empty file `path` and makes it a journal with this head.
///
/// The head is written before WAL mode is switched on: it then lies in the file itself, and a copy
/// without the `-wal` file beside it is a short recording and never a broken one.
pub(super) fn create(path: &Path, head: &str) -> rusqlite::Result<Connection> {
    let db = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    db.busy_timeout(JOURNAL_LOCK_WAIT)?;
    db.pragma_update(None, "foreign_keys", true)?;
    let making = db.unchecked_transaction()?;
    making.pragma_update(None, "application_id", APPLICATION_ID)?;
    making.pragma_update(None, "user_version", FORMAT_VERSION)?;
    making.execute_batch(TABLES)?;
    making.execute("INSERT INTO head (id, body) VALUES (1, ?1)", [head])?;
    making.commit()?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(db)
}

/// Folds the write-ahead log back into the file, so that a recording is one file once its process
/// is done with it: it can be copied, and read from anywhere, a read-only folder included.
pub(super) fn close(db: &Connection) {
    // Fails while somebody reads along; then the log stays beside the file, which is as good.
    let _ = db.pragma_update(None, "journal_mode", "DELETE");
}

/// Opens a database for reading.
pub(super) fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(JOURNAL_LOCK_WAIT)?;
    Ok(db)
}

/// What a file says of itself in its first bytes.
pub(super) enum Identity {
    Empty,
    NotSqlite,
    /// A database of something else.
    NotJournal,
    Journal {
        version: u32,
    },
}

/// Looks at a file without SQLite, which would put files of its own beside a database that is
/// somebody else's.
pub(super) fn identity(path: &Path) -> io::Result<Identity> {
    if !fs::metadata(path)?.is_file() {
        // A folder; or a pipe, on which opening would wait for ever.
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no file"));
    }
    let mut header = Vec::new();
    fs::File::open(path)?.take(HEADER_BYTES).read_to_end(&mut header)?;
    // The offsets are those of SQLite's file format.
    let field =
        |at: usize| header.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_be_bytes);
    Ok(match (field(60), field(68)) {
        _ if header.is_empty() => Identity::Empty,
        _ if !header.starts_with(b"SQLite format 3\0") => Identity::NotSqlite,
        (Some(version), Some(APPLICATION_ID)) => Identity::Journal { version },
        _ => Identity::NotJournal,
    })
}
