//! The vault tools on real folders.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a helper of a test fails the test")]

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use helve::call::{Call, ToolName};
use helve::harness::{Lease, Root, RootPath};
use helve::id::CallId;
use helve::limits;
use helve::moment::{Clock, Moment};
use helve::outcome::ErrorCategory;
use helve::tool::{CallContext, Notice, Notices, Tool, ToolError};
use helve::tools::vault::{Vault, tools};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

#[path = "rig/fuzz.rs"]
mod fuzz;

struct Still;

impl Clock for Still {
    fn now(&self) -> Moment {
        Moment::ZERO
    }
}

#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<Notice>>>);

impl Notices for Heard {
    fn notice(&self, _: CallId, notice: Notice) {
        self.0.lock().unwrap().push(notice);
    }
}

/// A vault in a temporary folder, beside which lies what must not be touched.
struct Place {
    outside: TempDir,
    tools: Vec<Arc<dyn Tool>>,
    heard: Heard,
    lease: Lease,
}

impl Place {
    fn new() -> Self {
        Self::with(|vault| vault)
    }

    fn dated(date: &'static str) -> Self {
        Self::with(|vault| vault.dated_by(move || date.to_owned()))
    }

    fn with(set_up: impl FnOnce(Vault) -> Vault) -> Self {
        let outside = tempfile::tempdir().unwrap();
        let vault = set_up(Vault::open(outside.path().join("vault")).unwrap());
        let tools = tools(Arc::new(vault));
        Self { outside, tools, heard: Heard::default(), lease: Lease::new() }
    }

    fn file(&self, path: &str) -> std::path::PathBuf {
        self.outside.path().join("vault").join(path)
    }

    fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.file(path).parent().unwrap()).unwrap();
        fs::write(self.file(path), content).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.file(path)).unwrap()
    }

    async fn call(&self, tool: &str, arguments: Json) -> Result<Json, ToolError> {
        let Json::Object(arguments) = arguments else { panic!("arguments are an object") };
        let call = Call::new(CallId(1), ToolName::new(tool), arguments.clone());
        let cx =
            CallContext::new(Arc::new(call), self.lease.clone(), Moment::from_millis(1), Arc::new(Still));
        let cx = cx.with_notices(Arc::new(self.heard.clone()));
        let tool = self.tools.iter().find(|known| known.manifest().name.as_str() == tool).unwrap();
        tool.call(&arguments, &cx).await
    }

    async fn found(&self, query: &str) -> Vec<String> {
        let found = self.call("vault_search", json!({ "query": query })).await.unwrap();
        strings(&found["results"], "path")
    }
}

fn strings(list: &Json, key: &str) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| item[key].as_str().unwrap().to_owned()).collect()
}

/// Every file below a folder, with what is in it.
fn snapshot(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            all.push((path.display().to_string(), Vec::new()));
            all.extend(snapshot(&path));
        } else {
            let link = fs::read_link(&path).map(|to| to.display().to_string().into_bytes());
            all.push((path.display().to_string(), link.unwrap_or_else(|_| fs::read(&path).unwrap())));
        }
    }
    all.sort();
    all
}

#[test]
fn manifests_name_bounds_predicates_ports_and_arguments() {
    let place = Place::new();
    let rows = [
        (
            "vault_read",
            10,
            "has(result.content)",
            json!([["content", "note_content"], ["metadata", "note_metadata"]]),
            "path project_id user_id",
        ),
        (
            "vault_write",
            10,
            "result.status == \"ok\"",
            json!([["result", "write_status"]]),
            "path body title project_id user_id",
        ),
        (
            "vault_list",
            10,
            "has(result.notes)",
            json!([["result", "vault_notes_list"]]),
            "folder project_id user_id",
        ),
        (
            "vault_search",
            15,
            "has(result.results)",
            json!([["result", "vault_search_results"]]),
            "query limit project_id user_id",
        ),
    ];
    assert_eq!(place.tools.len(), rows.len());
    for (tool, (name, seconds, success, writes, reads)) in place.tools.iter().zip(rows) {
        let manifest = tool.manifest();
        assert_eq!(manifest.name.as_str(), name);
        assert_eq!(manifest.timeout, Duration::from_secs(seconds), "{name}");
        assert_eq!(manifest.success.as_deref(), Some(success), "{name}");
        assert_eq!(&*manifest.category, "vault");
        assert_eq!(manifest.agent_scope, ["oracle".into(), "librarian".into()], "{name}");
        assert_eq!(manifest.contract.reads, reads.split(' ').map(Arc::from).collect::<Vec<Arc<str>>>());
        let bound = manifest.contract.writes.iter().map(|write| json!([&*write.port, &*write.key]));
        assert_eq!(Json::from_iter(bound), writes, "{name}");
        for port in &manifest.contract.reads {
            assert!(manifest.input_schema["properties"].get(&**port).is_some(), "{name} {port}");
        }
        for write in manifest.contract.writes.iter().filter(|write| &*write.port != "result") {
            let schema = manifest.output_schema.as_ref().unwrap();
            assert!(schema["properties"].get(&*write.port).is_some(), "{name} {}", write.port);
        }
    }
}

#[tokio::test]
async fn paths_never_leave_the_vault() {
    let place = Place::new();
    place.put("in.md", "inside");
    let secret = place.outside.path().join("secret.md");
    fs::write(&secret, "secret words").unwrap();
    fs::create_dir(place.outside.path().join("other")).unwrap();
    fs::write(place.outside.path().join("other/x.md"), "secret words").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(&secret, place.file("link.md")).unwrap();
        symlink("../secret.md", place.file("relative.md")).unwrap();
        symlink("../new.md", place.file("dangling.md")).unwrap();
        symlink(place.outside.path().join("other"), place.file("folder")).unwrap();
    }
    let before = snapshot(place.outside.path());
    let absolute = secret.display().to_string();
    let rows = [
        "",
        " ",
        "../secret",
        "../secret.md",
        "a/../../secret.md",
        "a/b/../../../secret.md",
        "/etc/passwd",
        &absolute,
        "in.md\0",
        "\0",
        "link.md",
        "link",
        "relative.md",
        "dangling.md",
        "folder/x.md",
        "folder/new.md",
        "folder/sub/new.md",
        "folder/../../secret.md",
    ];
    for path in rows {
        let read = place.call("vault_read", json!({ "path": path })).await.unwrap_err();
        let write = place.call("vault_write", json!({ "path": path, "body": "b" })).await.unwrap_err();
        for fault in [read, write] {
            assert_eq!(fault.category(), ErrorCategory::Permission, "{path:?}: {fault}");
            assert!(fault.suggestion().is_some(), "{path:?}: {fault}");
        }
        let project = place.call("vault_read", json!({ "path": "in.md", "project_id": path })).await;
        assert!(path.is_empty() || project.is_err(), "{path:?}");
    }
    let inner = place.call("vault_read", json!({ "path": "../in.md", "project_id": "p" })).await.unwrap_err();
    assert_eq!(inner.category(), ErrorCategory::Permission);
    for folder in ["..", "folder", "/"] {
        let fault = place.call("vault_list", json!({ "folder": folder })).await.unwrap_err();
        assert_eq!(fault.category(), ErrorCategory::Permission, "{folder:?}: {fault}");
    }
    assert_eq!(place.found("secret").await, [""; 0], "a search sees nothing outside");
    assert_eq!(snapshot(place.outside.path()), before, "no byte was written, inside or outside");
}

#[cfg(unix)]
#[tokio::test]
async fn links_inside_are_read_and_not_written_through() {
    let place = Place::new();
    place.put("in.md", "inside");
    std::os::unix::fs::symlink("in.md", place.file("link.md")).unwrap();
    let read = place.call("vault_read", json!({ "path": "link.md" })).await.unwrap();
    assert_eq!(read["content"], "inside");
    let fault = place.call("vault_write", json!({ "path": "link.md", "body": "new" })).await.unwrap_err();
    assert_eq!(fault.category(), ErrorCategory::Permission);
    assert!(fault.message().contains("symbolic link"), "{fault}");
    assert_eq!(place.text("in.md"), "inside");
    std::os::unix::fs::symlink("missing", place.file("dangling")).unwrap();
    let before = snapshot(&place.file(""));
    place.call("vault_write", json!({ "path": "dangling/n", "body": "new" })).await.unwrap_err();
    assert_eq!(snapshot(&place.file("")), before, "a write that fails leaves no temporary file");
}

#[tokio::test]
async fn a_note_is_written_and_read_back() {
    let place = Place::dated("2026-01-06T12:00:00Z");
    let first = json!({ "path": "notes/engine", "body": "# Head\n\ntext", "title": "The engine: one", "user_id": "ann" });
    let written = place.call("vault_write", first.clone()).await.unwrap();
    let text = "---\ntitle: \"The engine: one\"\ncreated: 2026-01-06T12:00:00Z\nupdated: 2026-01-06T12:00:00Z\n---\n\n# Head\n\ntext";
    assert_eq!(place.text("notes/engine.md"), text);
    assert_eq!(written["status"], "ok");
    assert_eq!((&written["path"], &written["created"]), (&json!("notes/engine.md"), &json!(true)));
    assert_eq!(written["file"], place.file("notes/engine.md").display().to_string());
    assert_eq!(written["bytes"], text.len());
    let read = place.call("vault_read", json!({ "path": "notes/engine" })).await.unwrap();
    assert_eq!(read["content"], "# Head\n\ntext");
    assert_eq!(read["metadata"]["title"], "The engine: one");
    assert_eq!(read["metadata"]["created"], "2026-01-06T12:00:00Z");
    assert_eq!(read["metadata"]["hash"], written["hash"]);
    assert_eq!(place.call("vault_write", first).await.unwrap()["created"], false);
    assert_eq!(place.text("notes/engine.md"), text);
}

#[tokio::test]
async fn front_matter_of_the_user_survives() {
    let place = Place::dated("2026-01-06T12:00:00Z");
    let head = "# mine\naliases:   [ \"a\",b ]   # odd\ntitle: Old\ncreated: 2020-01-01\n";
    place.put("n.md", format!("---\n{head}---\nold body"));
    place.call("vault_write", json!({ "path": "n", "body": "new body" })).await.unwrap();
    assert_eq!(place.text("n.md"), format!("---\n{head}updated: 2026-01-06T12:00:00Z\n---\n\nnew body"));
    place.put("n.md", "---\nbad: [1\n---\nold body");
    let written = place.call("vault_write", json!({ "path": "n", "body": "new body" })).await.unwrap();
    assert_eq!(place.text("n.md"), "---\nbad: [1\n---\n\nnew body");
    assert!(written["warning"].as_str().unwrap().contains("kept as it is"), "{written}");
    let read = place.call("vault_read", json!({ "path": "n" })).await.unwrap();
    assert_eq!(read["content"], "new body");
    assert!(read["metadata"]["front_matter_fault"].as_str().unwrap().contains("no YAML"), "{read}");
}

#[tokio::test]
async fn notes_that_cannot_be_read_say_why() {
    let place = Place::new();
    let fault = place.call("vault_read", json!({ "path": "engine.md" })).await.unwrap_err();
    assert!(fault.message().contains("does not exist"), "{fault}");
    place.put("engine.md", "x");
    place.put("bad.md", b"ok\xfe");
    place.put("large.md", vec![b'a'; limits::NOTE_BYTES_MAX + 1]);
    place.put("sub/in.md", "x");
    fs::create_dir(place.file("dir.md")).unwrap();
    let rows = [
        ("engin.md", "no note `engin.md`", "`engine.md`"),
        ("bad.md", "0xfe at offset 2", "UTF-8"),
        ("large.md", "at most", "Split"),
        ("dir.md", "not a regular file", "a file"),
        ("engine.md/x.md", "not a folder", "another path"),
    ];
    for (path, message, suggestion) in rows {
        let fault = place.call("vault_read", json!({ "path": path })).await.unwrap_err();
        assert_eq!(fault.category(), ErrorCategory::Resource, "{path}: {fault}");
        assert!(fault.message().contains(message), "{path}: {fault}");
        assert!(fault.suggestion().unwrap().contains(suggestion), "{path}: {:?}", fault.suggestion());
    }
}

#[tokio::test]
async fn a_late_write_changes_nothing() {
    let place = Place::new();
    place.put("a.md", "before");
    let before = snapshot(place.outside.path());
    place.lease.end();
    for arguments in [
        json!({ "path": "a", "body": "late" }),
        json!({ "path": "x/y/z", "body": "late", "project_id": "p" }),
    ] {
        let fault = place.call("vault_write", arguments).await.unwrap_err();
        assert_eq!(fault.category(), ErrorCategory::Cancelled, "{fault}");
    }
    assert_eq!(snapshot(place.outside.path()), before);
    let root = Root::open(&place.file("")).unwrap();
    let path = |text| RootPath::parse(text).unwrap();
    assert!(root.move_file(&path("a.md"), &path("b/c.md"), &place.lease).unwrap_err().is_lease_lost());
    assert!(root.create_folder(&path("d"), &place.lease).unwrap_err().is_lease_lost());
    assert_eq!(snapshot(place.outside.path()), before);
}

#[tokio::test]
async fn a_late_write_into_a_missing_vault_makes_no_folder() {
    let place = Place::new();
    place.lease.end();
    place.call("vault_write", json!({ "path": "a", "body": "late" })).await.unwrap_err();
    assert!(!place.file("").exists());
}

#[test]
fn files_are_moved_and_never_replaced() {
    let place = Place::new();
    place.put("a.md", "a");
    place.put("b.md", "b");
    let root = Root::open(&place.file("")).unwrap();
    let path = |text| RootPath::parse(text).unwrap();
    let lease = Lease::new();
    for (from, to) in [("a.md", "b.md"), ("missing.md", "c.md"), ("a.md", "b.md/c.md")] {
        root.move_file(&path(from), &path(to), &lease).unwrap_err();
    }
    assert_eq!((place.text("a.md"), place.text("b.md")), ("a".into(), "b".into()));
    root.move_file(&path("a.md"), &path("deep/er/c.md"), &lease).unwrap();
    assert_eq!(place.text("deep/er/c.md"), "a");
    assert!(!place.file("a.md").exists());
}

#[cfg(unix)]
#[test]
fn permissions_of_a_replaced_file_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    place.put("a.md", "a");
    fs::set_permissions(place.file("a.md"), fs::Permissions::from_mode(0o640)).unwrap();
    let root = Root::open(&place.file("")).unwrap();
    root.write(&RootPath::parse("a.md").unwrap(), b"new", &Lease::new()).unwrap();
    assert_eq!(place.text("a.md"), "new");
    assert_eq!(fs::metadata(place.file("a.md")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writes_never_interleave() {
    let place = Arc::new(Place::new());
    let body = |number: usize| format!("{number} ").repeat(20_000);
    let calls: Vec<_> = (0..8)
        .map(|number| {
            let place = place.clone();
            tokio::spawn(async move {
                let written = place.call("vault_write", json!({ "path": "n", "body": body(number) })).await;
                let read = place.call("vault_read", json!({ "path": "n" })).await.unwrap();
                (written.unwrap(), read["content"].as_str().unwrap().to_owned())
            })
        })
        .collect();
    let mut made = 0;
    for call in calls {
        let (written, content) = call.await.unwrap();
        made += usize::from(written["created"] == true);
        assert!((0..8).any(|number| content == body(number)), "half a note was seen");
    }
    assert_eq!(made, 1, "one call made the note");
    assert_eq!(snapshot(&place.file("")).len(), 1, "no temporary file is left");
}

#[tokio::test]
async fn search_keeps_in_step_with_the_folder() {
    let place = Place::new();
    assert_eq!(place.found("engine").await, [""; 0], "a vault that is not there holds nothing");
    place.call("vault_write", json!({ "path": "a", "body": "the engine ticks" })).await.unwrap();
    assert_eq!(place.found("engine").await, ["a.md"]);
    // Same length, very likely in the same tick of the file system's clock.
    for word in ["board!", "slots!", "guards"] {
        place.put("a.md", format!("the {word} ticks"));
        assert_eq!(place.found(word).await, ["a.md"]);
    }
    assert_eq!(place.found("engine").await, [""; 0]);
    place.put("b.md", "guards again");
    assert_eq!(place.found("guards").await.len(), 2);
    fs::remove_file(place.file("a.md")).unwrap();
    assert_eq!(place.found("guards").await, ["b.md"]);
    fs::rename(place.file("b.md"), place.file("c.md")).unwrap();
    assert_eq!(place.found("guards").await, ["c.md"]);
    fs::remove_dir_all(place.file("")).unwrap();
    assert_eq!(place.found("guards").await, [""; 0]);
}

#[tokio::test]
async fn a_note_written_twice_in_one_tick_is_searched_anew() {
    let place = Place::new();
    let tick = std::time::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let put = |path: &str, content: &str| {
        place.put(path, content);
        fs::File::options().write(true).open(place.file(path)).unwrap().set_modified(tick).unwrap();
    };
    put("a.md", "first");
    put("b.md", "other");
    assert_eq!(place.found("first").await, ["a.md"]);
    put("a.md", "again");
    assert_eq!(place.found("again").await, ["a.md"]);
    assert_eq!(place.found("first").await, [""; 0]);
    assert_eq!(place.found("other").await, ["b.md"]);
}

#[tokio::test]
async fn search_ranks_and_shows_passages() {
    let place = Place::new();
    place.put("body.md", "Something else. The scheduler is here, and the scheduler again.");
    place.put("title.md", "---\ntitle: Scheduler\n---\nNothing of the kind.");
    place.put("tagged.md", "---\ntags: [fence]\n---\nLate writes meet a late fence.");
    place.put(".hidden/x.md", "scheduler");
    place.put("text.txt", "scheduler");
    place.put("bad.md", b"scheduler\xff");
    let found = place.call("vault_search", json!({ "query": "scheduler" })).await.unwrap();
    assert_eq!(strings(&found["results"], "path"), ["title.md", "body.md"]);
    assert_eq!(
        (&found["total"], &found["skipped"], &found["matched"]),
        (&json!(2), &json!(1), &json!("all"))
    );
    assert!(found["results"][1]["snippet"].as_str().unwrap().contains("<mark>scheduler</mark>"), "{found}");
    let found = place.call("vault_search", json!({ "query": "scheduler", "limit": 1 })).await.unwrap();
    assert_eq!((found["results"].as_array().unwrap().len(), &found["truncated"]), (1, &json!(true)));
    let rows: [(&str, &[&str]); 8] = [
        ("sched*", &["title.md", "body.md"]),
        ("\"late fence\"", &["tagged.md"]),
        ("\"fence late\"", &[]),
        ("scheduler nothing", &["title.md"]),
        ("SCHEDULER again", &["body.md"]),
        ("fence kind", &["tagged.md", "title.md"]),
        ("AND scheduler) OR \"", &["title.md", "body.md"]),
        ("title:x -y NEAR(z ^", &[]),
    ];
    for (query, paths) in rows {
        let mut got = place.found(query).await;
        let mut paths: Vec<_> = paths.iter().map(|path| path.to_string()).collect();
        if query == "fence kind" || query.starts_with("AND") {
            got.sort();
            paths.sort();
        }
        assert_eq!(got, paths, "{query}");
    }
    for query in ["", "  ", "+ - *", "\"\"", "\0"] {
        let fault = place.call("vault_search", json!({ "query": query })).await.unwrap_err();
        assert_eq!(fault.category(), ErrorCategory::UserInput, "{query:?}");
    }
}

#[tokio::test]
async fn lists_are_sorted_and_bounded() {
    let place = Place::new();
    let empty = place.call("vault_list", json!({})).await.unwrap();
    assert_eq!(empty, json!({ "notes": [], "total": 0, "truncated": false, "skipped": 0 }));
    place.put("b.md", "# Bee");
    place.put("a/x.md", "---\nupdated: 2020-02-02\n---\n");
    place.put("a/bad.md", b"\xff");
    place.put(".obsidian/x.md", "");
    place.put("c.txt", "");
    let listed = place.call("vault_list", json!({})).await.unwrap();
    assert_eq!(strings(&listed["notes"], "path"), ["a/bad.md", "a/x.md", "b.md"]);
    assert_eq!(strings(&listed["notes"], "title"), ["bad", "x", "Bee"]);
    assert_eq!(listed["notes"][1]["updated"], "2020-02-02");
    assert_eq!(listed["notes"][2]["size_bytes"], 5);
    for folder in ["a", "a/", "./a", "b/../a"] {
        let listed = place.call("vault_list", json!({ "folder": folder })).await.unwrap();
        assert_eq!(strings(&listed["notes"], "path"), ["a/bad.md", "a/x.md"], "{folder}");
    }
    for folder in ["missing", "b.md"] {
        let fault = place.call("vault_list", json!({ "folder": folder })).await.unwrap_err();
        assert_eq!(fault.category(), ErrorCategory::Resource, "{folder}");
    }
    for number in 0..=limits::VAULT_LIST_MAX {
        fs::write(place.file(&format!("n{number}.md")), "").unwrap();
    }
    let listed = place.call("vault_list", json!({})).await.unwrap();
    assert_eq!(listed["notes"].as_array().unwrap().len(), limits::VAULT_LIST_MAX);
    assert_eq!((&listed["total"], &listed["truncated"]), (&json!(limits::VAULT_LIST_MAX + 4), &json!(true)));
}

#[tokio::test]
async fn projects_are_folders() {
    let place = Place::new();
    place.call("vault_write", json!({ "path": "n", "body": "in one", "project_id": "one" })).await.unwrap();
    assert_eq!(place.text("one/n.md"), "in one");
    let found = place.call("vault_search", json!({ "query": "one", "project_id": "one" })).await.unwrap();
    assert_eq!(strings(&found["results"], "path"), ["n.md"], "paths are the project's");
    let other = place.call("vault_list", json!({ "project_id": "two" })).await.unwrap();
    assert_eq!(other["total"], 0);
    assert_eq!(place.found("one").await, ["one/n.md"], "the vault itself holds its projects");
    for id in ["a/b", ".git", "one/", "./one"] {
        let fault = place.call("vault_list", json!({ "project_id": id })).await.unwrap_err();
        assert_eq!(fault.category(), ErrorCategory::UserInput, "{id}");
    }
}

#[tokio::test]
async fn a_note_that_changed_since_it_was_read_is_stale() {
    let place = Place::new();
    place.put("n.md", "one");
    let read =
        async |user: &str| place.call("vault_read", json!({ "path": "n", "user_id": user })).await.unwrap();
    let first = read("ann").await;
    assert!(first.get("stale").is_none() && read("ann").await.get("stale").is_none());
    place.put("n.md", "two");
    assert!(read("bob").await.get("stale").is_none(), "bob has not read it before");
    let again = read("ann").await;
    assert_eq!(again["stale"]["previous_hash"], first["metadata"]["hash"]);
    assert_eq!(again["stale"]["current_hash"], again["metadata"]["hash"]);
    assert!(read("ann").await.get("stale").is_none(), "it is told once");
    let heard = place.heard.0.lock().unwrap().clone();
    let payload = json!({
        "path": "n.md", "project_id": null, "previous_hash": first["metadata"]["hash"],
        "current_hash": again["metadata"]["hash"], "message": again["stale"]["message"],
    });
    assert_eq!(heard, [Notice::Event { name: "source.stale", payload }]);
}

#[test]
fn a_vault_that_cannot_be_written_says_so_and_leaves_nothing() {
    let place = Place::new();
    let here = place.outside.path();
    fs::write(here.join("file"), "x").unwrap();
    let before = snapshot(here);
    for path in ["vault", "deep/er/vault", ""] {
        Vault::open(here.join(path)).unwrap().check_writable().unwrap();
    }
    assert_eq!(snapshot(here), before);
    assert!(Vault::open(here.join("file")).unwrap_err().message().contains("not a folder"));
    let below = Vault::open(here.join("file/vault")).unwrap_err();
    assert!(below.message().contains("not a folder"), "{below}");
    let vault = Vault::open(here.join("late/vault")).unwrap();
    fs::write(here.join("late"), "x").unwrap();
    let fault = vault.check_writable().unwrap_err();
    assert!(
        fault.message().contains("cannot be written") && fault.message().contains("late` is not"),
        "{fault}"
    );
    assert!(fault.suggestion().is_some());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_system_that_takes_no_files_is_told() {
    let fault = Vault::open("/proc/self").unwrap().check_writable().unwrap_err();
    assert!(fault.message().contains("/proc/"), "{fault}");
}

proptest::proptest! {
    #![proptest_config(fuzz::config(64))]

    #[test]
    fn what_is_written_is_read_and_found(body in "[^-\\x00]\\PC{0,200}", title in proptest::option::of("\\PC{1,20}")) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let place = Place::new();
            place.put("n.md", "---\nmine: 1\n---\nold");
            let body = format!("{body} needle");
            let written = place.call("vault_write", json!({ "path": "n", "body": body, "title": title })).await.unwrap();
            let read = place.call("vault_read", json!({ "path": "n" })).await.unwrap();
            assert_eq!(read["content"], body);
            assert_eq!(read["metadata"]["front_matter"]["mine"], 1);
            assert_eq!(read["metadata"]["front_matter"].get("title"), title.map(Json::from).as_ref());
            assert_eq!(read["metadata"]["hash"], written["hash"]);
            assert_eq!(place.found("needle").await, ["n.md"]);
        });
    }

    #[test]
    fn no_query_is_a_syntax_error(query in "[\"*()^:{}+a-c \\-\\x00ANDORTNE]{0,24}|\\PC{0,24}") {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            let place = Place::new();
            place.put("n.md", "a b c");
            if let Err(fault) = place.call("vault_search", json!({ "query": query })).await {
                assert_eq!(fault.category(), ErrorCategory::UserInput, "{fault}");
            }
        });
    }
}
