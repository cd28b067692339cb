//! Nothing of a call lands after its end: no file, no note, no artifact, no word to the watchers,
//! no key of the blackboard, no line of the journal.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use helve::call::Arguments;
use helve::exec::artifact::{ArtifactId, ArtifactStore, MemoryArtifacts};
use helve::exec::{BoundedExecutor, Collaborators, Turn};
use helve::harness::{Root, RootPath};
use helve::id::CallId;
use helve::journal::{Head, Journal, Recorder};
use helve::manifest::{Effects, ToolManifest};
use helve::outcome::Outcome;
use helve::run::{RunClock, Runner, catalog_of};
use helve::text::Source;
use helve::tool::{CallContext, CancelToken, Notice, Notices, Registry, Tool, ToolError};
use helve::tools::vault::{self, Vault};
use helve::tree::{self, CompileOptions};
use serde_json::{Value as Json, json};

use crate::rig::{call, pass_deadline};

/// Ignores its token on a thread of its own; when it is let go, long after its call, it tries
/// every effect that there is, and says how each went.
struct Poacher {
    manifest: Arc<ToolManifest>,
    root: Arc<Root>,
    vault: Arc<dyn Tool>,
    gate: Mutex<Option<Gate>>,
}

struct Gate {
    begun: SyncSender<()>,
    released: Receiver<()>,
    tried: SyncSender<Vec<(&'static str, bool)>>,
}

#[async_trait]
impl Tool for Poacher {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.manifest
    }

    async fn call(&self, _: &Arguments, cx: &CallContext) -> Result<Json, ToolError> {
        let gate = self.gate.lock().unwrap().take().expect("one call a test");
        let (root, vault) = (self.root.clone(), self.vault.clone());
        let runtime = tokio::runtime::Handle::current();
        cx.blocking(move |cx| {
            gate.begun.send(()).unwrap();
            gate.released.recv().unwrap();
            let path = RootPath::parse("late.txt").unwrap();
            let Json::Object(note) = json!({"path": "late", "body": "late"}) else { unreachable!() };
            let file = root.locate(&path);
            cx.progress("late");
            cx.raise("source.stale", json!({"late": true}));
            let landed = vec![
                ("file", cx.lease().write_file(&file, b"late").is_ok()),
                ("file under a root", root.write(&path, b"late", cx.lease()).is_ok()),
                ("note", runtime.block_on(vault.call(&note, cx)).is_ok()),
                ("artifact", cx.store(b"late").is_ok()),
                ("anything", cx.lease().commit(|| ()).is_ok()),
            ];
            gate.tried.send(landed).unwrap();
            Ok(json!({"said": "late"}))
        })
        .await
    }
}

/// Hears what calls tell.
#[derive(Default)]
struct Heard(Mutex<Vec<Notice>>);

impl Notices for Heard {
    fn notice(&self, _: CallId, notice: Notice) {
        self.0.lock().unwrap().push(notice);
    }
}

struct Scene {
    folder: tempfile::TempDir,
    registry: Arc<Registry>,
    begun: Receiver<()>,
    release: SyncSender<()>,
    tried: Receiver<Vec<(&'static str, bool)>>,
    store: Arc<MemoryArtifacts>,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ground = folder.path().join("ground");
        fs::create_dir(&ground).unwrap();
        let (begin, begun) = sync_channel(1);
        let (release, released) = sync_channel(1);
        let (try_it, tried) = sync_channel(1);
        let output = json!({"type": "object", "properties": {"said": {"type": "string"}}});
        let manifest =
            ToolManifest::new("poach", "", json!({})).output_schema(output).effects(Effects::Writes);
        let vault = vault::tools(Arc::new(Vault::open(&ground).unwrap()));
        let poacher = Poacher {
            manifest: Arc::new(manifest),
            root: Arc::new(Root::open(&ground).unwrap()),
            vault: vault.into_iter().find(|tool| tool.manifest().name.as_str() == "vault_write").unwrap(),
            gate: Mutex::new(Some(Gate { begun: begin, released, tried: try_it })),
        };
        let mut registry = Registry::new();
        registry.add(Arc::new(poacher)).unwrap();
        let (registry, store) = (Arc::new(registry), Arc::default());
        Self { folder, registry, begun, release, tried, store }
    }

    fn executor(&self) -> BoundedExecutor {
        let artifacts = self.store.clone();
        let executor = BoundedExecutor::new(self.registry.clone(), Arc::new(RunClock::start())).unwrap();
        executor.with_collaborators(Collaborators { artifacts, ..Collaborators::default() })
    }

    async fn until_begun(&self) {
        while self.begun.try_recv().is_err() {
            tokio::task::yield_now().await;
        }
    }

    fn ground(&self) -> std::path::PathBuf {
        self.folder.path().join("ground")
    }

    /// Lets the poacher go; nothing that it tries lands.
    fn assert_nothing_lands(&self) {
        self.release.send(()).unwrap();
        for (effect, landed) in self.tried.recv().unwrap() {
            assert!(!landed, "{effect} landed");
        }
        assert_eq!(files(&self.ground()), Vec::<String>::new());
        assert!(self.store.get(&ArtifactId::of(b"late")).unwrap_err().is_missing());
    }
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[tokio::test(start_paused = true)]
async fn a04_late_result_changes_nothing() {
    let scene = Scene::new();
    let heard = Arc::new(Heard::default());
    let (executor, turn) = (scene.executor().with_notices(heard.clone()), Turn::default());
    let under_way = {
        let turn = turn.clone();
        let poach = Arc::new(call("poach", json!({})));
        tokio::spawn(async move { executor.execute(&poach, &turn, &CancelToken::new()).await })
    };
    scene.until_begun().await;
    pass_deadline(Duration::from_secs(31)).await;
    assert!(matches!(under_way.await.unwrap(), Outcome::ToolTimeout(_)));
    let records = turn.records();
    scene.assert_nothing_lands();
    assert_eq!(*heard.0.lock().unwrap(), []);
    assert_eq!((turn.records(), turn.traces()), (records, vec![]));
}

#[tokio::test(start_paused = true)]
async fn a04_what_a_call_does_in_time_lands() {
    let scene = Scene::new();
    let heard = Arc::new(Heard::default());
    let (executor, turn) = (scene.executor().with_notices(heard.clone()), Turn::default());
    scene.release.send(()).unwrap();
    let outcome = executor.execute(&Arc::new(call("poach", json!({}))), &turn, &CancelToken::new()).await;
    assert!(outcome.output().is_some(), "{outcome:?}");
    assert!(scene.tried.recv().unwrap().iter().all(|(_, landed)| *landed));
    assert_eq!((files(&scene.ground()).len(), heard.0.lock().unwrap().len()), (2, 2));
    assert!(scene.store.get(&ArtifactId::of(b"late")).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a04_a_late_result_reaches_neither_the_board_nor_the_journal() {
    let scene = Scene::new();
    let source = Source::new(
        "late.xml",
        r#"<root BTCPP_format="4"><BehaviorTree ID="Main">
            <ForceSuccess><poach said="{said}" _timeout_ms="100"/></ForceSuccess></BehaviorTree></root>"#,
    );
    let options = CompileOptions::default();
    let tree = tree::load(&source, &catalog_of(&scene.registry).unwrap(), &options)
        .unwrap_or_else(|faults| panic!("{faults}"));
    let file = scene.folder.path().join("run.helve");
    let head = Head::new(&source, "a Tuesday").with_tools(scene.registry.manifests());
    let recorder = Recorder::create(&file, &head).unwrap();
    let run = Runner::new(tree, scene.executor()).observe(recorder).start();
    scene.until_begun().await;
    pass_deadline(Duration::from_millis(101)).await;
    let report = run.report().await;
    let recorded = fs::read(&file).unwrap();
    scene.assert_nothing_lands();
    assert!(report.is_success(), "{:?}", report.failures);
    assert_eq!(report.value("said"), None, "the board");
    assert!(fs::read(&file).unwrap() == recorded, "the journal");
    let journal = Journal::open(&file).unwrap();
    let lines: Vec<_> = journal.events().map(|event| event.unwrap().line).collect();
    assert_eq!(lines.iter().filter(|line| line.contains("did_call")).count(), 1, "one outcome: {lines:?}");
    assert!(journal.replay().unwrap().is_same());
}
