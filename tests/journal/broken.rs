//! Recordings broken at random: reading and replaying them ends with an answer or a fault.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use helve::diag::Diagnostic;
use helve::journal::Journal;
use helve::value::Value;
use proptest::prelude::*;
use rusqlite::Connection;

use super::{Rig, fuzz};
use crate::mutate::mutated;

/// Broken recordings when nobody asks for more.
const CASES: u32 = 64;

/// A recording as its bytes.
static RECORDING: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let rig = Rig::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    let body = r#"<Repeat num_cycles="{n}"><echo text="a"/></Repeat>"#;
    runtime.unwrap().block_on(rig.record(body, &[("n", Value::Int(3))]));
    fs::read(&rig.path).unwrap()
});

/// What bodies are made of.
fn piece() -> impl Strategy<Value = Vec<u8>> + Clone {
    let known =
        ["{", "}", "\"", ":", ",", "[", "]", "null", "-1", "1e999", "99999999999999999999", "\"tick\"", "é"];
    prop_oneof![
        3 => prop::sample::select(known.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ]
    .boxed()
}

/// Every body of the recording, with its table and row.
static BODIES: LazyLock<Vec<(&str, i64, Vec<u8>)>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("whole.helve");
    fs::write(&path, &*RECORDING).unwrap();
    let db = Connection::open(&path).unwrap();
    let rows = |table: &'static str| {
        let mut query = db.prepare(&format!("SELECT rowid, body FROM {table}")).unwrap();
        let rows = query.query_map([], |row| Ok((table, row.get(0)?, row.get::<_, String>(1)?.into_bytes())));
        rows.unwrap().map(Result::unwrap).collect::<Vec<_>>()
    };
    ["head", "inputs", "events", "ending"].into_iter().flat_map(rows).collect()
});

/// A body's place in [`BODIES`], and the body broken.
fn broken_body() -> impl Strategy<Value = (usize, Vec<u8>)> {
    (0..BODIES.len()).prop_flat_map(|place| {
        mutated(vec![BODIES[place].2.clone()], piece()).prop_map(move |body| (place, body))
    })
}

/// Everything that is done with a recording.
fn read_all(path: &Path) {
    let Ok(journal) = Journal::open(path) else { return };
    for event in journal.events() {
        let _ = event.map_err(|fault| assert!(!Diagnostic::from(fault).message.is_empty()));
    }
    match journal.replay() {
        Ok(replay) => assert!(!replay.to_string().is_empty()),
        Err(fault) => assert!(!Diagnostic::from(fault).render(false).is_empty()),
    }
}

proptest! {
    #![proptest_config(fuzz::config(CASES))]

    #[test]
    fn no_broken_file_crashes_the_reader(bytes in mutated(vec![RECORDING.clone()], piece())) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("broken.helve");
        fs::write(&path, bytes).unwrap();
        read_all(&path);
    }

    /// A database that is whole, with a body that is not.
    #[test]
    fn no_broken_body_crashes_the_reader((place, body) in broken_body()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("broken.helve");
        fs::write(&path, &*RECORDING).unwrap();
        let (table, row, _) = &BODIES[place];
        let sql = format!("UPDATE {table} SET body = ?1 WHERE rowid = ?2");
        let body = String::from_utf8_lossy(&body);
        Connection::open(&path).unwrap().execute(&sql, rusqlite::params![body, row]).unwrap();
        read_all(&path);
    }
}
