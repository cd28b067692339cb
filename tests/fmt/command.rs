//! `helve fmt` and `helve convert` as child processes, on real files.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;
use tempfile::TempDir;

const UNTIDY: &str =
    "<root BTCPP_format='4'>\n<BehaviorTree ID='M'><AlwaysSuccess _skipIf='a && b'/></BehaviorTree></root>\n";
const TIDY: &str = "<root BTCPP_format=\"4\">\n  <BehaviorTree ID=\"M\">\n    <AlwaysSuccess _skipIf=\"a &amp;&amp; b\"/>\n  </BehaviorTree>\n</root>\n";

struct Place {
    folder: TempDir,
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    fn with(path: &str, text: impl AsRef<[u8]>) -> Self {
        let place = Self::new();
        fs::write(place.folder.path().join(path), text).expect("a file can be written");
        place
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).expect("a file of text")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("a folder");
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<_> = entries.map(|entry| name(entry.expect("an entry"))).collect();
        names.sort();
        names
    }

    /// Exit code, standard output and standard error.
    fn helve(&self, arguments: &[&str], input: &str) -> (i32, String, String) {
        let mut child = command(self.folder.path()).args(arguments).spawn().expect("helve can be started");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("helve reads");
        let Output { status, stdout, stderr } = child.wait_with_output().expect("helve ends");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (status.code().expect("an exit code"), text(stdout), text(stderr))
    }

    fn json(&self, arguments: &[&str], input: &str) -> Json {
        serde_json::from_str(&self.helve(arguments, input).1).expect("JSON")
    }
}

#[expect(clippy::disallowed_methods, reason = "the test is about the process itself")]
fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_helve"));
    command.current_dir(folder).env("NO_COLOR", "1").env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_file_is_written_once() {
    let place = Place::with("a.xml", UNTIDY);
    let (code, out, err) = place.helve(&["fmt", "a.xml"], "");
    assert_eq!(
        (code, &*out, &*err),
        (0, "a.xml: formatted; mended W0001 raw_markup_in_attribute\n1 file formatted\n", "")
    );
    assert_eq!(place.read("a.xml"), TIDY);
    assert_eq!(place.names(), ["a.xml"], "no temporary file is left");
    assert_eq!(place.helve(&["fmt", "a.xml"], "").1, "1 file in form already\n");
}

#[test]
fn a_check_writes_nothing_and_shows_the_difference() {
    let place = Place::with("a.xml", UNTIDY);
    let (code, out, _) = place.helve(&["fmt", "--check", "a.xml"], "");
    assert_eq!(code, 1);
    assert!(out.starts_with("--- a.xml\n+++ a.xml (formatted)\n@@ "), "{out}");
    assert!(
        out.contains("-<root BTCPP_format='4'>\n") && out.contains("+<root BTCPP_format=\"4\">\n"),
        "{out}"
    );
    assert!(out.ends_with("1 file would be formatted\n"), "{out}");
    assert_eq!(place.read("a.xml"), UNTIDY);
    assert_eq!(Place::with("a.xml", TIDY).helve(&["fmt", "--check", "a.xml"], "").0, 0);
}

#[test]
fn a_byte_order_mark_alone_is_a_difference() {
    let place = Place::with("a.xml", format!("\u{FEFF}{TIDY}"));
    assert_eq!(place.helve(&["fmt", "--check", "a.xml"], "").0, 1);
    assert_eq!(place.helve(&["fmt", "a.xml"], "").0, 0);
    assert_eq!(place.read("a.xml"), TIDY);
}

#[test]
fn a_file_that_cannot_be_mended_is_left_alone_and_the_others_are_written() {
    let broken = [
        "<root a='1' a='2'/>",
        "<!DOCTYPE root [<!ENTITY e 'x'>]><root/>",
        "<root><A></root>",
        "",
        "<package> <name/></package>",
    ];
    for text in broken {
        let place = Place::with("a.xml", text);
        fs::write(place.folder.path().join("b.xml"), UNTIDY).expect("a second file");
        let (code, out, err) = place.helve(&["fmt", "a.xml", "b.xml", "none.xml"], "");
        assert_eq!(code, 2, "{out}{err}");
        assert!(out.ends_with("1 file formatted, 2 files left alone\n"), "{out}");
        assert!(err.contains("error[E0") && err.contains("none.xml"), "{err}");
        assert_eq!((place.read("a.xml"), place.read("b.xml")), (text.to_owned(), TIDY.to_owned()));
    }
}

#[test]
fn a_text_that_could_not_be_read_again_is_not_written() {
    let long = format!("<root a=\"{}\"/>", "&".repeat(helve::limits::XML_VALUE_BYTES_MAX / 2));
    let place = Place::with("a.xml", &long);
    let (code, _, err) = place.helve(&["fmt", "a.xml"], "");
    assert!(code == 2 && err.contains("E0422") && err.contains("the value of `a` is too long"), "{err}");
    assert_eq!(place.read("a.xml"), long);
}

#[test]
fn standard_input_goes_to_standard_output() {
    let place = Place::new();
    for arguments in [["fmt", "-"], ["fmt", "--stdin"]] {
        assert_eq!(place.helve(&arguments, UNTIDY), (0, TIDY.to_owned(), String::new()));
    }
    let (code, out, _) = place.helve(&["fmt", "--check", "-"], UNTIDY);
    assert!(code == 1 && out.starts_with("--- <stdin>\n"), "{out}");
    let (code, out, err) = place.helve(&["fmt", "-"], "<root>");
    assert!(code == 2 && out.is_empty() && err.contains("E0004"), "{out}{err}");
    assert_eq!(place.helve(&["fmt"], "").0, 2);
    assert_eq!(place.names(), Vec::<String>::new());
}

#[test]
fn programs_get_json() {
    let place = Place::with("a.xml", UNTIDY);
    let check = place.json(&["fmt", "--check", "--json", "a.xml", "none.xml"], "");
    assert_eq!((&check[0]["changed"], &check[0]["written"]), (&Json::Bool(true), &Json::Bool(false)));
    assert!(check[0]["diff"].as_str().is_some_and(|diff| diff.contains("@@")));
    assert_eq!(check[0]["faults"][0]["code"], "W0001");
    assert_eq!((&check[1]["ok"], &check[1]["faults"][0]["code"]), (&Json::Bool(false), &Json::from("E0001")));
    assert_eq!(place.json(&["fmt", "--json", "a.xml"], "")[0]["written"], true);
    assert_eq!(place.json(&["fmt", "--json", "-"], UNTIDY)[0]["text"], TIDY);
}

#[cfg(unix)]
#[test]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::with("a.xml", UNTIDY);
    let path = |name: &str| place.folder.path().join(name);
    fs::set_permissions(path("a.xml"), fs::Permissions::from_mode(0o640)).expect("permissions");
    symlink("a.xml", path("link.xml")).expect("a link");
    assert_eq!(place.helve(&["fmt", "link.xml"], "").0, 0);
    assert_eq!(place.read("a.xml"), TIDY);
    assert!(path("link.xml").is_symlink());
    let mode = fs::metadata(path("a.xml")).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);

    fs::write(path("a.xml"), UNTIDY).expect("a file");
    fs::set_permissions(path("a.xml"), fs::Permissions::from_mode(0o440)).expect("permissions");
    let (code, _, err) = place.helve(&["fmt", "a.xml"], "");
    assert!(code == 2 && err.contains("E0421") && err.contains("read-only"), "{err}");
    assert_eq!(place.read("a.xml"), UNTIDY);
}

const V3: &str = "<root main_tree_to_execute='M'><BehaviorTree ID='M'><SubTreePlus ID='T'/></BehaviorTree><BehaviorTree ID='T'><AlwaysSuccess/></BehaviorTree></root>";

#[test]
fn a_conversion_goes_to_standard_output_or_into_the_file() {
    let place = Place::with("a.xml", V3);
    let v4 = V3.replace("<root ", "<root BTCPP_format=\"4\" ").replace("SubTreePlus", "SubTree");
    let (code, out, err) = place.helve(&["convert", "a.xml"], "");
    assert_eq!((code, &*out, &*err), (0, &*v4, "a.xml: 2 places converted\n"));
    assert_eq!(place.read("a.xml"), V3);
    assert_eq!(place.helve(&["convert", "-"], V3).1, v4);
    assert_eq!(place.helve(&["convert", "--write", "a.xml"], ""), (0, String::new(), err));
    assert_eq!(place.read("a.xml"), v4);
    assert_eq!(place.helve(&["check", "a.xml"], "").0, 0);
    let (code, out, err) = place.helve(&["convert", "a.xml"], "");
    assert_eq!((code, &*out), (0, &*v4));
    assert_eq!(err, "a.xml: declares version 4 already and is returned as it is\n");
}

#[test]
fn what_is_left_is_told() {
    let left = V3.replace("<SubTreePlus ID='T'/>", "<ManualSelector/>");
    let place = Place::with("a.xml", &left);
    let (code, out, err) = place.helve(&["convert", "a.xml"], "");
    assert!(code == 1 && out.contains("<ManualSelector/>") && err.contains("warning[W0202]"), "{out}{err}");
    let json = place.json(&["convert", "--json", "a.xml"], "");
    assert_eq!((&json["whole"], &json["changes"]), (&Json::Bool(false), &Json::from(1)));
    assert_eq!(json["notes"][0]["code"], "W0202");
    assert!(json["text"].as_str().is_some_and(|text| text.starts_with("<root BTCPP_format=\"4\" ")));
    for (text, fault) in [("<root><A></root>", "E0005"), ("<tree/>", "E0101")] {
        let (code, out, err) = place.helve(&["convert", "-"], text);
        assert!(code == 2 && out.is_empty() && err.contains(fault), "{out}{err}");
    }
}
