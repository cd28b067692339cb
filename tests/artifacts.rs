//! The store of artifacts on disk: real folders, several processes, broken content.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use helve::exec::artifact::{
    ArtifactError, ArtifactId, ArtifactLimits, ArtifactStore, DiskArtifacts, Pinned,
};
use helve::harness::Lease;
use proptest::prelude::*;
use tempfile::TempDir;

/// A store in a folder of its own, whose time is set by hand.
struct Rig {
    folder: TempDir,
    now: Arc<AtomicU64>,
    store: DiskArtifacts,
}

const SMALL: ArtifactLimits =
    ArtifactLimits { bytes_max: 100, count_max: 4, age_max: Duration::from_millis(1_000) };

impl Rig {
    fn new() -> Self {
        Self::with_limits(ArtifactLimits::default())
    }

    fn with_limits(limits: ArtifactLimits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let now = Arc::new(AtomicU64::new(5_000_000));
        let store = open(folder.path(), &now).with_limits(limits);
        Self { folder, now, store }
    }

    fn wait(&self, ms: u64) {
        self.now.fetch_add(ms, Ordering::Relaxed);
    }

    fn put(&self, content: &[u8]) -> Result<Pinned, ArtifactError> {
        self.wait(1);
        put(&self.store, content)
    }

    /// Where a content lies.
    fn file(&self, id: &ArtifactId) -> PathBuf {
        self.home().join(&id.as_str()[..2]).join(id.as_str())
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join(".helve/artifacts")
    }

    /// Another store in the same folder: its locks are as foreign as those of another process.
    fn other(&self) -> DiskArtifacts {
        open(self.folder.path(), &self.now)
    }

    /// The contents that are there, by their first letters.
    fn letters(&self) -> String {
        let list = self.store.list().unwrap();
        let mut letters: Vec<_> = list.iter().map(|it| self.store.get(&it.id).unwrap()[0] as char).collect();
        letters.sort_unstable();
        letters.into_iter().collect()
    }
}

fn open(folder: &Path, now: &Arc<AtomicU64>) -> DiskArtifacts {
    let now = now.clone();
    DiskArtifacts::within(folder, move || now.load(Ordering::Relaxed))
}

fn put(store: &DiskArtifacts, content: &[u8]) -> Result<Pinned, ArtifactError> {
    store.put(content, &"echo".into(), &Lease::new())
}

/// The files below a folder, with their paths from there.
fn files(folder: &Path) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            found.extend(
                files(&entry.path()).into_iter().map(|(path, bytes)| (format!("{name}/{path}"), bytes)),
            );
        } else {
            found.insert(name, entry.metadata().unwrap().len());
        }
    }
    found
}

#[test]
fn a12_a_content_lies_on_disk_under_its_hash_and_is_read_back_whole() {
    let rig = Rig::new();
    assert!(rig.store.list().unwrap().is_empty());
    assert!(files(rig.folder.path()).is_empty(), "nothing is made before the first artifact comes");
    let content: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
    let stored = rig.put(&content).unwrap();
    assert_eq!(stored.id, ArtifactId::of(&content));
    assert_eq!(rig.put(&content).unwrap().id, stored.id);
    assert_eq!(&rig.store.get(&stored.id).unwrap()[..], content);
    assert_eq!(&rig.other().get(&stored.id).unwrap()[..], content, "in another process too");
    assert_eq!(fs::read(rig.file(&stored.id)).unwrap(), content);
    let list = rig.store.list().unwrap();
    let [info] = &list[..] else { panic!("{list:?}") };
    assert_eq!((info.bytes, info.tool.as_deref(), info.is_pinned), (400_000, Some("echo"), true));
    assert_eq!((info.stored_at_ms, info.used_at_ms), (5_000_001, 5_000_002));
    drop(stored);
    assert!(!rig.other().list().unwrap()[0].is_pinned);
    assert_eq!(
        rig.store.get(&ArtifactId::of(b"x")).unwrap_err(),
        ArtifactError::Missing { id: ArtifactId::of(b"x") }
    );
}

#[test]
fn a12_the_longest_unused_leaves_first_and_what_is_pinned_never() {
    let rig = Rig::with_limits(SMALL);
    let a = rig.put(b"a").unwrap();
    for content in [b"b", b"c", b"d"] {
        drop(rig.put(content).unwrap());
    }
    rig.wait(1);
    rig.store.get(&ArtifactId::of(b"b")).unwrap();
    drop(rig.put(b"e").unwrap());
    rig.wait(1);
    assert_eq!(rig.letters(), "abde", "c was unused for longest; a is pinned");
    drop(rig.put(&[b'f'; 99]).unwrap());
    assert_eq!(rig.letters(), "af", "by bytes");
    let full = rig.put(&[b'g'; 100]).unwrap_err();
    assert_eq!(full, ArtifactError::Full { bytes: 100, bytes_max: 100 });
    assert_eq!(rig.letters(), "af", "what never fits evicts nothing");
    drop(a);
    rig.wait(1_001);
    drop(rig.put(b"h").unwrap());
    assert_eq!(rig.letters(), "h", "by age");
    assert_eq!(files(&rig.home()).len(), 5, "a content, its record, our pins, the lock, the ignore file");
}

#[test]
fn a12_two_stores_of_one_folder_respect_each_others_pins() {
    let rig = Rig::with_limits(SMALL);
    let other = rig.other();
    let held: Vec<_> = [b"a", b"b", b"c"].iter().map(|content| put(&other, *content).unwrap()).collect();
    drop(rig.put(b"d").unwrap());
    drop(rig.put(b"e").unwrap());
    assert_eq!(rig.letters(), "abce");
    let d = rig.put(b"d").unwrap();
    assert!(matches!(rig.put(b"f"), Err(ArtifactError::Full { .. })));
    drop((held, d));
    assert!(rig.put(b"f").is_ok());
}

#[test]
fn a12_a_flipped_bit_is_found_and_the_same_content_mends_it() {
    let rig = Rig::new();
    let id = rig.put(b"content").unwrap().id;
    let mut bytes = fs::read(rig.file(&id)).unwrap();
    bytes[3] ^= 0b100;
    fs::write(rig.file(&id), &bytes).unwrap();
    let corrupt = ArtifactError::Corrupt { id: id.clone() };
    assert_eq!(rig.store.get(&id).unwrap_err(), corrupt);
    assert_eq!(
        corrupt.to_string(),
        format!("the artifact {id} is damaged: what lies under its name has another hash")
    );
    fs::write(rig.file(&id), b"").unwrap();
    assert_eq!(rig.store.get(&id).unwrap_err(), corrupt, "cut to nothing");
    drop(rig.put(b"content").unwrap());
    assert_eq!(&rig.store.get(&id).unwrap()[..], b"content");
}

#[test]
fn a04_a_late_artifact_leaves_no_trace_on_disk() {
    let rig = Rig::new();
    let lease = Lease::new();
    lease.end();
    let late = |content: &[u8]| rig.store.put(content, &"echo".into(), &lease).unwrap_err();
    assert_eq!(late(b"late"), ArtifactError::LeaseLost);
    assert!(files(rig.folder.path()).is_empty(), "not even the folder");
    drop(rig.put(b"early").unwrap());
    let before = files(&rig.home());
    assert_eq!(late(b"late"), ArtifactError::LeaseLost);
    assert_eq!(late(b"early"), ArtifactError::LeaseLost);
    assert_eq!(files(&rig.home()), before);
}

#[cfg(unix)]
#[test]
fn a12_symbolic_links_and_pipes_are_not_followed() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    let linked = |at: &str, to: &Path| {
        let rig = Rig::new();
        let link = rig.folder.path().join(at);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        fs::create_dir_all(link.parent().unwrap().join("inside")).unwrap();
        symlink(to, &link).unwrap();
        let refused = rig.put(b"content").map(drop);
        let Err(ArtifactError::Folder { why, .. }) = &refused else { panic!("{at}: {refused:?}") };
        let refusals = ["is a symbolic link", "led outside of the filesystem"];
        assert!(refusals.iter().any(|it| why.contains(it)), "{at}: {why}");
        assert!(at.starts_with(".helve/artifacts/") || rig.store.check_writable().is_err());
    };
    let shard = &ArtifactId::of(b"content").as_str()[..2].to_owned();
    let shard = &*format!(".helve/artifacts/{shard}");
    for at in [".helve", ".helve/artifacts", ".helve/artifacts/tmp", ".helve/artifacts/pins", shard] {
        linked(at, outside.path());
        linked(at, Path::new("inside"));
    }
    assert!(files(outside.path()).is_empty());

    let rig = Rig::new();
    let id = rig.put(b"content").unwrap().id;
    fs::write(outside.path().join("content"), b"content").unwrap();
    fs::remove_file(rig.file(&id)).unwrap();
    symlink(outside.path().join("content"), rig.file(&id)).unwrap();
    assert_eq!(rig.store.get(&id).unwrap_err(), ArtifactError::Corrupt { id: id.clone() });
    drop(rig.put(b"content").unwrap());
    assert!(fs::symlink_metadata(rig.file(&id)).unwrap().is_file(), "the link is replaced");
    assert_eq!(ArtifactId::parse("../../../../../../../../etc/hosts"), None);
}

#[test]
fn a12_what_dead_writers_left_is_not_seen_and_removed() {
    let rig = Rig::new();
    drop(rig.put(b"content").unwrap());
    for folder in ["tmp", "pins"] {
        fs::create_dir_all(rig.home().join(folder)).unwrap();
        fs::write(rig.home().join(folder).join("1-1"), format!("{}\n", ArtifactId::of(b"content"))).unwrap();
    }
    assert_eq!(rig.letters(), "c");
    assert!(!rig.store.list().unwrap()[0].is_pinned, "nobody holds the lock of that pin");
    drop(rig.put(b"other").unwrap());
    assert!(!rig.home().join("tmp/1-1").exists(), "swept by whoever writes");
    assert_eq!(rig.store.clean(Duration::MAX).unwrap().young, 2);
    assert!(files(&rig.home()).keys().all(|path| !path.ends_with("/1-1")), "{:?}", files(&rig.home()));
}

#[test]
fn a12_cleaning_by_hand_spares_what_is_pinned_or_young() {
    let rig = Rig::new();
    assert_eq!(rig.store.clean(Duration::ZERO).unwrap().gone, []);
    drop(rig.put(b"old").unwrap());
    let _pinned = rig.put(b"pinned").unwrap();
    rig.wait(1_000);
    drop(rig.put(b"young").unwrap());
    let freed = rig.store.clean(Duration::from_millis(500)).unwrap();
    let gone: Vec<_> = freed.gone.iter().map(|it| (it.id.clone(), it.bytes, it.tool.as_deref())).collect();
    assert_eq!(gone, [(ArtifactId::of(b"old"), 3, Some("echo"))]);
    assert_eq!((freed.pinned, freed.young), (1, 1));
    let freed = rig.store.clean(Duration::ZERO).unwrap();
    assert_eq!((freed.gone.len(), freed.pinned, freed.young), (1, 1, 0));
    assert_eq!(rig.letters(), "p");
}

/// One step of a story about a store.
#[derive(Clone, Debug)]
enum Step {
    Put { content: u8, bytes: usize, holds: bool },
    Get(u8),
    Drop(u8),
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..8_u8, 1..60_usize, any::<bool>()).prop_map(|(content, bytes, holds)| Step::Put { content, bytes, holds }),
        2 => (0..8_u8).prop_map(Step::Get),
        1 => (0..8_u8).prop_map(Step::Drop),
        1 => (1..700_u64).prop_map(Step::Wait),
    ]
}

/// A store as a child would write it: a list of (content, when it was used, whether it is held).
#[derive(Default)]
struct Naive {
    kept: Vec<(Vec<u8>, u64)>,
    held: BTreeMap<u8, Vec<u8>>,
}

impl Naive {
    fn put(&mut self, content: &[u8], now: u64) -> bool {
        if let Some(there) = self.kept.iter_mut().find(|it| it.0 == content) {
            there.1 = now;
            return true;
        }
        let before = self.kept.clone();
        let held: Vec<_> = self.held.values().cloned().collect();
        let is_held = |it: &(Vec<u8>, u64)| held.contains(&it.0);
        let full = |kept: &[(Vec<u8>, u64)], bytes_max: usize| {
            kept.iter().map(|it| it.0.len()).sum::<usize>() + content.len() > bytes_max || kept.len() >= 4
        };
        self.kept.retain(|it| is_held(it) || it.1 + 1_000 >= now);
        if full(&self.kept, 100) {
            while full(&self.kept, 100 - 6) {
                let free = self.kept.iter().filter(|it| !is_held(it));
                let Some(oldest) = free.min_by_key(|it| it.1).cloned() else { break };
                self.kept.retain(|it| *it != oldest);
            }
        }
        if full(&self.kept, 100) {
            self.kept = before;
            return false;
        }
        self.kept.push((content.to_vec(), now));
        true
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]
    #[test]
    fn a12_a_store_on_disk_keeps_what_a_naive_one_keeps(steps in prop::collection::vec(step(), 1..30)) {
        let rig = Rig::with_limits(SMALL);
        let (mut naive, mut pins) = (Naive::default(), BTreeMap::new());
        for step in steps {
            rig.wait(1);
            let now = rig.now.load(Ordering::Relaxed);
            match step {
                Step::Put { content, bytes, holds } => {
                    let bytes = vec![content; bytes];
                    let stored = put(&rig.store, &bytes);
                    prop_assert_eq!(stored.is_ok(), naive.put(&bytes, now));
                    if let Some(stored) = stored.ok().filter(|_| holds) {
                        pins.insert(content, stored);
                        naive.held.insert(content, bytes);
                    }
                }
                Step::Get(content) => {
                    for it in naive.kept.iter_mut().filter(|it| it.0[0] == content) {
                        rig.wait(1);
                        prop_assert_eq!(&rig.store.get(&ArtifactId::of(&it.0)).unwrap()[..], &it.0[..]);
                        it.1 = rig.now.load(Ordering::Relaxed);
                    }
                }
                Step::Drop(content) => {
                    pins.remove(&content);
                    naive.held.remove(&content);
                }
                Step::Wait(ms) => rig.wait(ms),
            }
            let list = rig.store.list().unwrap();
            let there: Vec<_> = list.iter().map(|it| it.id.clone()).collect();
            let mut expected: Vec<_> = naive.kept.iter().map(|it| ArtifactId::of(&it.0)).collect();
            expected.sort();
            prop_assert_eq!(there, expected);
            prop_assert_eq!(list.iter().filter(|it| it.is_pinned).count(), naive.held.values().collect::<std::collections::BTreeSet<_>>().len());
        }
    }
}

/// Where a child process is told what to do.
const CHILD: &str = "HELVE_TEST_ARTIFACTS";

/// Starts this test as another process, which does what `part` says in `folder`, and waits for its
/// first line.
#[expect(clippy::disallowed_methods, reason = "the test is about processes")]
fn child(folder: &Path, part: &str) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_part_of_a_child", "--nocapture"])
        .env(CHILD, format!("{part}:{}", folder.display()))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line.contains("ready")), "the child is ready");
    child
}

/// Not a test of its own: what the children of the tests below do.
#[test]
fn the_part_of_a_child() {
    let Some(told) = std::env::var(CHILD).ok() else { return };
    let (part, folder) = told.split_once(':').unwrap();
    let store = open(Path::new(folder), &Arc::new(AtomicU64::new(5_000_000)));
    match part {
        "pins" => {
            let _pins: Vec<_> = [&b"a"[..], b"b", b"c"].iter().map(|it| put(&store, it).unwrap()).collect();
            println!("ready");
            // Until it is killed: nobody writes anything here.
            let _ = std::io::stdin().read_line(&mut String::new());
        }
        "writes" => {
            println!("ready");
            for number in 0_u32.. {
                drop(put(&store, &number.to_le_bytes().repeat(200_000)).unwrap());
            }
        }
        _ => {
            println!("ready");
            for number in 0..60_u32 {
                let small = store_of_few(Path::new(folder));
                let content = [part.as_bytes(), &number.to_le_bytes()].concat();
                let stored = put(&small, &content).unwrap();
                assert_eq!(&small.get(&stored.id).unwrap()[..], content, "what is pinned stays");
            }
        }
    }
}

fn store_of_few(folder: &Path) -> DiskArtifacts {
    open(folder, &Arc::new(AtomicU64::new(5_000_000))).with_limits(ArtifactLimits { count_max: 8, ..SMALL })
}

#[test]
fn a12_the_pins_of_a_process_hold_until_it_is_killed() {
    let rig = Rig::with_limits(SMALL);
    let mut holder = child(rig.folder.path(), "pins");
    drop(rig.put(b"d").unwrap());
    drop(rig.put(b"e").unwrap());
    assert_eq!(rig.letters(), "abce", "a, b and c are another process's");
    assert_eq!(rig.store.list().unwrap().iter().filter(|it| it.is_pinned).count(), 3);
    assert!(matches!(rig.put(&[0; 98]), Err(ArtifactError::Full { .. })));
    assert_eq!(rig.store.clean(Duration::ZERO).unwrap().pinned, 3);
    holder.kill().unwrap();
    holder.wait().unwrap();
    assert!(rig.store.list().unwrap().iter().all(|it| !it.is_pinned), "no stale pin");
    assert_eq!(rig.letters(), "abc");
    drop(rig.put(&[b'x'; 100]).unwrap());
    assert_eq!(rig.letters(), "x");
    assert!(fs::read_dir(rig.home().join("pins")).unwrap().count() <= 1, "the dead one's file is gone");
}

#[test]
fn a12_processes_that_store_at_once_neither_lose_nor_overfill() {
    let rig = Rig::new();
    let mut children: Vec<_> = ["one", "two", "three"].map(|part| child(rig.folder.path(), part)).into();
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let list = rig.store.list().unwrap();
    assert_eq!(list.len(), 8, "three processes and one bound");
    for info in &list {
        assert!(rig.store.get(&info.id).is_ok());
    }
    let left: Vec<_> = files(&rig.home()).into_keys().filter(|path| path.starts_with("tmp/")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a12_a_process_that_is_killed_while_it_writes_leaves_nothing_half() {
    let rig = Rig::new();
    for most in [1, 4, 7] {
        let mut writer = child(rig.folder.path(), "writes");
        // Killed somewhere after its next contents, in the middle of whatever it does then.
        while rig.store.list().unwrap().len() < most {}
        writer.kill().unwrap();
        writer.wait().unwrap();
        for info in rig.store.list().unwrap() {
            assert_eq!(rig.store.get(&info.id).unwrap().len(), 800_000, "whole");
        }
    }
    drop(rig.put(b"x").unwrap());
    let left: Vec<_> = files(&rig.home()).into_keys().filter(|path| path.starts_with("tmp/")).collect();
    assert!(left.is_empty(), "what it was writing is swept: {left:?}");
}

#[test]
fn a12_a_process_that_was_stopped_with_the_lock_keeps_nobody_from_reading_nor_for_ever_from_storing() {
    let rig = Rig::new();
    let id = rig.put(b"content").unwrap().id;
    let lock = fs::File::open(rig.home().join("lock")).unwrap();
    lock.lock().unwrap();
    assert_eq!(&rig.store.get(&id).unwrap()[..], b"content");
    assert_eq!(rig.letters(), "c");
    assert_eq!(rig.put(b"other").unwrap_err(), ArtifactError::Busy);
    lock.unlock().unwrap();
    assert!(rig.put(b"other").is_ok());
}
