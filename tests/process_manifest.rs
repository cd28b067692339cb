//! Manifests of programs: `tests/data/process/err/*` each beside the faults that it has, and the two
//! notations of one manifest. `HELVE_UPDATE=1` writes the `.txt` files anew.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use helve::backend::process::{Output, ProcessTool, Surroundings, load};
use helve::diag::{Code, Diagnostics};
use helve::harness::{Bound, ProcessLimits, Root};
use helve::manifest::Effects;
use proptest::prelude::*;

#[path = "rig/faults.rs"]
mod faults;
#[path = "rig/fuzz.rs"]
mod fuzz;
#[path = "rig/mutate.rs"]
mod mutate;

use faults::hold;
use mutate::mutated;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/process");

fn read(paths: &[PathBuf]) -> Result<Vec<Arc<ProcessTool>>, Diagnostics> {
    let root = Root::open(Path::new(DATA)).unwrap();
    let path = |name: &str| (name == "PATH").then(|| "/usr/bin:/bin".to_owned());
    load(paths, &Surroundings::new(root).with_environment(path))
}

#[track_caller]
fn faults(paths: &[PathBuf]) -> Diagnostics {
    match read(paths) {
        Ok(tools) => panic!("{} tools", tools.len()),
        Err(faults) => faults,
    }
}

fn code(paths: &[PathBuf]) -> Code {
    faults(paths).iter().next().unwrap().code
}

#[test]
fn every_fault_has_its_place_and_a_next_step() {
    let mut files: Vec<_> =
        fs::read_dir(format!("{DATA}/err")).unwrap().map(|it| it.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension != "txt"));
    files.sort();
    assert!(files.len() >= 7);
    for path in files {
        let found = faults(std::slice::from_ref(&path));
        assert!(found.iter().all(|fault| fault.help.is_some()), "{found}");
        let text = format!("{}\n", found.to_string().replace(DATA, "<data>"));
        let golden = path.with_extension("txt");
        if std::env::var_os("HELVE_UPDATE").is_some() {
            fs::write(&golden, &text).unwrap();
        }
        assert_eq!(text, fs::read_to_string(&golden).unwrap_or_default(), "{}", path.display());
    }
}

#[test]
fn both_notations_say_the_same() {
    let specs = ["words.toml", "words.json"].map(|name| {
        let tools =
            read(&[Path::new(DATA).join("ok").join(name)]).unwrap_or_else(|faults| panic!("{faults}"));
        tools[0].spec().clone()
    });
    assert_eq!(format!("{:?}", specs[0]), format!("{:?}", specs[1]));
    let it = &specs[0];
    let manifest = &it.manifest;
    assert_eq!((manifest.name.as_str(), &*manifest.version, &*manifest.category), ("words", "1.2.0", "text"));
    assert_eq!((manifest.timeout, manifest.effects), (Duration::from_millis(1_500), Effects::ReadOnly));
    assert!(manifest.idempotent && manifest.polls && manifest.web && !manifest.retry_on_timeout);
    assert_eq!((&*manifest.contract.reads[0], &*manifest.contract.writes[0].key), ("text", "count"));
    assert_eq!(it.arguments[2], format!("{DATA}/ok/x"));
    assert_eq!(
        (it.folder.as_str(), it.output, it.grace),
        ("b", Output::NoncedEvents, Duration::from_millis(40))
    );
    assert_eq!(it.secrets.len(), 1, "named twice, it is one");
    let limits = ProcessLimits {
        memory_mb: 5,
        cpu_seconds: Some(6),
        open_files: 7,
        file_size_mb: 8,
        processes: 11,
        cpu_millicores: Some(12),
    };
    assert_eq!((it.limits, it.output_bytes, it.line_bytes), (limits, 9, 10));
    assert_eq!(it.required, [Bound::FileSize]);
}

#[test]
fn whoever_says_no_effects_has_a_tool_that_changes_things() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    fs::write(&path, "name = \"a\"\ndescription = \"A.\"\ncommand = \"sh\"\n").unwrap();
    let tools = read(&[path]).unwrap_or_else(|faults| panic!("{faults}"));
    let it = tools[0].spec();
    assert_eq!((it.manifest.effects, it.output), (Effects::Writes, Output::Json));
    assert_eq!(it.environment.iter().map(|name| &**name).collect::<Vec<_>>(), ["PATH", "LANG"]);
}

/// It runs before anybody has said yes.
#[test]
fn whoever_proposes_does_not_start_without_a_fence_and_has_no_network() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.toml");
    let text = "name = \"a\"\ndescription = \"A.\"\ncommand = \"sh\"\noutput = \"events\"\nproposes = true\n";
    fs::write(&path, text).unwrap();
    let tools = read(&[path]).unwrap_or_else(|faults| panic!("{faults}"));
    let it = tools[0].spec();
    assert_eq!((it.proposes, it.network, &it.required[..]), (true, false, &[Bound::Writes][..]));
}

#[test]
fn files_and_folders_that_will_not_do_are_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    assert_eq!(code(&[at("missing.toml")]), Code::E0001);
    assert_eq!(code(&[folder.path().to_owned()]), Code::E0001);
    fs::write(at("bytes.toml"), b"name = \"\xff\"").unwrap();
    assert_eq!(code(&[at("bytes.toml")]), Code::E0002);
    fs::write(at("large.toml"), "#".repeat(2 << 20)).unwrap();
    assert_eq!(code(&[at("large.toml")]), Code::E0001);
    fs::write(at("deep.json"), format!("{{\"input\": {}{}}}", "[".repeat(5_000), "]".repeat(5_000))).unwrap();
    assert_eq!(code(&[at("deep.json")]), Code::E0601);
    // Two files of one folder, and all faults of both in one report.
    let twins = Path::new(DATA).join("ok");
    assert_eq!(code(&[twins]), Code::E0606);
    assert!(faults(&[at("bytes.toml"), at("missing.toml")]).iter().count() == 2);
}

#[test]
fn a_json_fault_points_at_a_letter_or_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    for text in ["", "{", "{\"name\": \"a\",\n", "é", "{\"a\": é}", "{\"é\u{1}\": 1}", "[1] 成"] {
        fs::write(&path, text).unwrap();
        hold(&faults(std::slice::from_ref(&path)));
    }
}

fn piece() -> impl Strategy<Value = Vec<u8>> + Clone {
    let known = [
        "[",
        "]",
        "[[",
        "{",
        "}",
        "\"",
        "\"\"\"",
        "'",
        "=",
        ":",
        ",",
        "\n",
        ".",
        "#",
        "é",
        "\\u00e9",
        "true",
        "-1",
        "1e400",
        "99999999999999999999",
        "name",
        "command",
        "[input]",
        "[output]",
        "{path}",
        "{{",
        "\u{0}",
        "null",
        "\"timeout_s\": 0",
        "effects = 1",
    ];
    prop_oneof![
        3 => prop::sample::select(known.to_vec()).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ]
    .boxed()
}

/// A broken manifest and the ending of its file.
fn broken_manifest() -> impl Strategy<Value = (Vec<u8>, &'static str)> {
    let of = |extension: &'static str| {
        let folders =
            ["ok", "err"].iter().flat_map(|folder| fs::read_dir(format!("{DATA}/{folder}")).unwrap());
        let paths = folders.map(|entry| entry.unwrap().path());
        let files: Vec<_> = paths.filter(|path| path.extension().is_some_and(|it| it == extension)).collect();
        let texts = files.iter().map(|path| fs::read(path).unwrap()).collect();
        mutated(texts, piece()).prop_map(move |bytes| (bytes, extension))
    };
    prop_oneof![of("toml"), of("json")]
}

/// Broken manifests when nobody asks for more.
const CASES: u32 = 200;

proptest! {
    #![proptest_config(fuzz::config(CASES))]

    /// Whatever a manifest is broken into, reading it ends with tools or with faults.
    #[test]
    fn no_broken_manifest_crashes_the_reader((bytes, extension) in broken_manifest()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("a.{extension}"));
        fs::write(&path, bytes).unwrap();
        if let Err(found) = read(&[path]) {
            prop_assert!(found.has_errors());
            hold(&found);
        }
    }
}
