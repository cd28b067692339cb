//! A confirmed write can be taken back.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use helve::exec::checkpoint::{FolderCheckpoints, Standing, UndoError};
use helve::exec::{CheckpointId, LaterChanges};
use helve::harness::Lease;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

use crate::pen::{Desk, Setup, yes};

fn id(number: usize) -> CheckpointId {
    CheckpointId(number.to_string().into())
}

fn desk(writes: usize) -> Desk {
    Desk::with(Setup { answers: vec![yes(); writes], ..Setup::default() })
}

async fn write(desk: &Desk, files: Json) {
    let outcome = desk.write(json!({"write": files})).await;
    assert_eq!(outcome.kind(), "result", "{outcome:?}");
}

fn undo(store: &FolderCheckpoints, number: usize) -> Result<Vec<String>, UndoError> {
    let undone = store.undo(&id(number), LaterChanges::Keep, &Lease::new())?;
    Ok(undone.changes.iter().map(|change| change.path.to_string()).collect())
}

#[tokio::test(start_paused = true)]
async fn a10_a_write_is_listed_and_taken_back_and_the_undo_too() {
    let desk = desk(1);
    fs::write(desk.file("a"), "one\n").unwrap();
    write(&desk, json!({"a": "two\n", "deep/b": "new\n"})).await;
    let kept = desk.checkpoints.kept().unwrap().0;
    assert_eq!(kept.len(), 1);
    assert_eq!(
        (&*kept[0].at, &*kept[0].label(), &*kept[0].approved_by),
        ("today", "pen (root)", "the tester")
    );
    let files: Vec<_> = kept[0].files.iter().map(|it| (it.added, it.removed, it.standing)).collect();
    assert_eq!(files, [(1, 1, Standing::Written), (1, 0, Standing::Written)]);
    assert_eq!(undo(&desk.checkpoints, 1).unwrap(), ["a", "deep/b"]);
    assert_eq!((desk.text("a").as_deref(), desk.text("deep/b")), (Some("one\n"), None));
    assert_eq!(undo(&desk.checkpoints, 1).unwrap(), Vec::<String>::new(), "once is enough");
    assert_eq!(desk.checkpoints.kept().unwrap().0[0].label(), "undo of 1");
    undo(&desk.checkpoints, 2).unwrap();
    assert_eq!((desk.text("a").as_deref(), desk.text("deep/b").as_deref()), (Some("two\n"), Some("new\n")));
}

#[tokio::test(start_paused = true)]
async fn a10_folders_that_a_write_made_go_with_it_when_nobody_uses_them() {
    let desk = desk(2);
    fs::create_dir(desk.file("mine")).unwrap();
    write(&desk, json!({"mine/x/y/b": "1", "mine/z/c": "1"})).await;
    write(&desk, json!({"mine/z/d": "1"})).await;
    let undone = desk.checkpoints.undo(&id(1), LaterChanges::Keep, &Lease::new()).unwrap();
    assert_eq!(undone.folders, [desk.file("mine/x/y"), desk.file("mine/x")], "`z` is in use");
    assert!(desk.file("mine").is_dir() && !desk.file("mine/x").exists());
    undo(&desk.checkpoints, 2).unwrap();
    assert!(desk.file("mine/z").is_dir(), "it was the other write that made it");
    undo(&desk.checkpoints, 3).unwrap();
    assert_eq!(desk.text("mine/x/y/b").as_deref(), Some("1"), "the undo taken back");
    undo(&desk.checkpoints, 5).unwrap();
    assert!(!desk.file("mine/x").exists(), "which had made them again");
}

#[tokio::test(start_paused = true)]
async fn a10_a_folder_behind_a_link_is_not_removed() {
    let desk = desk(1);
    write(&desk, json!({"a": "1", "deep/er/b": "1"})).await;
    let outside = desk.folder.path().join("outside");
    fs::create_dir_all(outside.join("er")).unwrap();
    fs::remove_dir_all(desk.file("deep")).unwrap();
    symlink(&outside, desk.file("deep")).unwrap();
    assert_eq!(undo(&desk.checkpoints, 1).unwrap(), ["a"]);
    assert!(outside.join("er").is_dir() && desk.text("a").is_none());
}

#[tokio::test(start_paused = true)]
async fn a10_later_changes_are_kept_unless_they_are_given_up() {
    let desk = desk(1);
    write(&desk, json!({"a": "one", "b": "one"})).await;
    fs::write(desk.file("b"), "mine").unwrap();
    assert_eq!(undo(&desk.checkpoints, 1), Err(UndoError::ChangedSince(vec![desk.file("b")])));
    assert_eq!((desk.text("a").as_deref(), desk.text("b").as_deref()), (Some("one"), Some("mine")));
    desk.checkpoints.undo(&id(1), LaterChanges::Overwrite, &Lease::new()).unwrap();
    assert_eq!((desk.text("a"), desk.text("b")), (None, None));
    undo(&desk.checkpoints, 2).unwrap();
    assert_eq!(desk.text("b").as_deref(), Some("mine"), "what was given up is kept too");
}

#[tokio::test(start_paused = true)]
async fn a10_a_link_in_the_way_is_not_written_through() {
    let desk = desk(2);
    let outside = desk.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("b"), "two").unwrap();
    fs::create_dir(desk.file("deep")).unwrap();
    fs::write(desk.file("deep/b"), "one").unwrap();
    write(&desk, json!({"deep/b": "two"})).await;
    fs::remove_dir_all(desk.file("deep")).unwrap();
    symlink(&outside, desk.file("deep")).unwrap();
    for over in [LaterChanges::Keep, LaterChanges::Overwrite] {
        let fault = desk.checkpoints.undo(&id(1), over, &Lease::new()).unwrap_err();
        assert!(fault.to_string().contains("leaves its root folder"), "{fault}");
    }
    assert_eq!(fs::read_to_string(outside.join("b")).unwrap(), "two");
}

#[tokio::test(start_paused = true)]
async fn a10_what_is_damaged_is_said_and_never_restored() {
    let desk = desk(2);
    fs::write(desk.file("a"), "precious").unwrap();
    write(&desk, json!({"a": "two"})).await;
    write(&desk, json!({"a": "three"})).await;
    let content = desk.checkpoints.path().join("content").join(blake3::hash(b"precious").to_hex().as_str());
    fs::write(&content, "forged").unwrap();
    let fault = desk.checkpoints.undo(&id(1), LaterChanges::Overwrite, &Lease::new()).unwrap_err();
    assert!(fault.to_string().contains("was changed"), "{fault}");
    fs::write(desk.checkpoints.path().join("entries/000002.json"), "{").unwrap();
    let (kept, faults) = desk.checkpoints.kept().unwrap();
    assert_eq!((kept.len(), faults.len()), (1, 1));
    assert!(faults[0].message.starts_with("checkpoint 2: it is damaged"), "{faults:?}");
    let unknown =
        ["7", "x", "-1", "../1"].map(|id| desk.checkpoints.plan(&CheckpointId(id.into())).unwrap_err());
    assert_eq!(unknown[3].to_string(), "there is no checkpoint `../1`");
    assert_eq!(desk.text("a").as_deref(), Some("three"));
}

#[tokio::test(start_paused = true)]
async fn a10_the_folder_is_private_and_bounded_and_the_oldest_go_first() {
    let desk = desk(6);
    let bounded = desk.checkpoints.clone().keeping(2, 1 << 20);
    for text in ["1", "2", "3", "4", "5"] {
        write(&desk, json!({"a": text})).await;
    }
    let mode = fs::metadata(bounded.path()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    // The next one, made under the tighter bounds, is an undo.
    bounded.undo(&id(5), LaterChanges::Keep, &Lease::new()).unwrap();
    let left: Vec<_> = bounded.kept().unwrap().0.into_iter().map(|kept| kept.id).collect();
    assert_eq!(left, [id(6), id(5)]);
    let contents = fs::read_dir(bounded.path().join("content")).unwrap().count();
    assert_eq!(contents, 2, "contents that no entry names any more are gone");
    let tight = desk.checkpoints.clone().keeping(100, 1);
    tight.undo(&id(6), LaterChanges::Keep, &Lease::new()).unwrap();
    assert_eq!(tight.kept().unwrap().0.len(), 1, "the newest stays");
}

#[tokio::test(start_paused = true)]
async fn a10_a_checkpoint_of_a_call_that_was_cut_off_is_still_one() {
    let desk = desk(1);
    fs::write(desk.file("a"), "one").unwrap();
    write(&desk, json!({"a": "two"})).await;
    // As a process leaves it that dies between the write and the seal.
    let entry = desk.checkpoints.path().join("entries/000001.json");
    let text = fs::read_to_string(&entry).unwrap();
    assert!(text.contains("\"sealed\": true"), "{text}");
    fs::write(&entry, text.replace("\"sealed\": true", "\"sealed\": false")).unwrap();
    undo(&desk.checkpoints, 1).unwrap();
    assert_eq!(desk.text("a").as_deref(), Some("one"));
}

fn snapshot(desk: &Desk) -> BTreeMap<String, String> {
    let files = fs::read_dir(desk.file("")).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap());
    files.map(|name| (name.clone(), desk.text(&name).unwrap())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is written, removed and written again: undone in reverse, everything is as it was.
    #[test]
    fn a10_undone_in_reverse_everything_is_as_it_was(
        writes in prop::collection::vec((0_usize..3, prop::option::of("[ab\n]{0,6}")), 1..8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.unwrap().block_on(async {
            let desk = desk(writes.len());
            fs::write(desk.file("f0"), "first").unwrap();
            let mut seen = vec![snapshot(&desk)];
            for (file, text) in &writes {
                let name = format!("f{file}");
                // To remove what is not there is no write.
                let outcome = desk.write(json!({"write": {name: text}})).await;
                if outcome.kind() == "result" {
                    seen.push(snapshot(&desk));
                }
            }
            for number in (1..seen.len()).rev() {
                assert_eq!(snapshot(&desk), seen[number]);
                undo(&desk.checkpoints, number).unwrap();
            }
            assert_eq!(snapshot(&desk), seen[0]);
        });
    }
}
