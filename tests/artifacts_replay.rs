//! A run whose tool returns more than fits: its predicate and its ports read the whole output, its
//! recording names it, and the replay finds it in the store, or says what is missing.
#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use helve::diag::Diagnostic;
use helve::event::EventKind;
use helve::exec::artifact::{ArtifactStore, DiskArtifacts, MemoryArtifacts};
use helve::exec::{BoundedExecutor, Collaborators};
use helve::journal::{Ending, Head, Journal, Recorder, Replay};
use helve::manifest::ToolManifest;
use helve::run::{RunClock, RunEvent, RunHandle, RunReport, Runner, catalog_of, unix_millis};
use helve::text::Source;
use helve::tool::{CallContext, Registry, ToolError, TypedTool};
use helve::tree::{self, CompileOptions};
use helve::value::Value;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Finds far more than a model is shown.
struct Find;

#[derive(Deserialize, JsonSchema)]
struct FindArguments {
    word: String,
}

#[derive(Serialize, JsonSchema)]
struct Hits {
    results: Vec<Json>,
    odd: Json,
}

impl TypedTool for Find {
    type Arguments = FindArguments;
    type Output = Hits;

    fn describe(&self) -> ToolManifest {
        // Item 799 lies far behind everything that a model sees.
        Self::manifest("find", "Finds.").success("result.results[799].path == 'src/799.rs'")
    }

    async fn call(&self, arguments: FindArguments, _: &CallContext) -> Result<Hits, ToolError> {
        let hit =
            |n: u64| json!({"path": format!("src/{n}.rs"), "line": n, "text": arguments.word.repeat(40)});
        let odd = json!([0.1 + 0.2, -0.0, 1.0, u64::MAX, 5e-324, "\u{1}\"ü"]);
        Ok(Hits { results: (0..800).map(hit).collect(), odd })
    }
}

/// Says what it was given.
struct Echo;

#[derive(Deserialize, JsonSchema)]
struct EchoArguments {
    text: String,
}

impl TypedTool for Echo {
    type Arguments = EchoArguments;
    type Output = String;

    fn describe(&self) -> ToolManifest {
        Self::manifest("echo", "Says what it was given.")
    }

    async fn call(&self, arguments: EchoArguments, _: &CallContext) -> Result<String, ToolError> {
        Ok(arguments.text)
    }
}

/// Says how many artifacts are pinned.
struct Peek(Arc<DiskArtifacts>);

#[derive(Deserialize, JsonSchema)]
struct NoArguments {}

impl TypedTool for Peek {
    type Arguments = NoArguments;
    type Output = usize;

    fn describe(&self) -> ToolManifest {
        Self::manifest("peek", "Says how many artifacts are pinned.")
    }

    async fn call(&self, _: NoArguments, _: &CallContext) -> Result<usize, ToolError> {
        Ok(self.0.list().unwrap().iter().filter(|it| it.is_pinned).count())
    }
}

const BODY: &str = r#"<Sequence>
    <find word="{word}" result="{hits}" results="{results}"/>
    <echo text="{hits.results[799].path}" result="{last}"/>
    <echo text="{hits.odd[5]}" result="{odd}"/>
    <Script code="copy := hits"/>
    <find word="{word}" result="{again}"/>
    <peek result="{pinned}"/>
</Sequence>"#;

struct Rig {
    folder: TempDir,
    recording: PathBuf,
    store: Arc<DiskArtifacts>,
}

impl Rig {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(DiskArtifacts::within(folder.path(), unix_millis));
        Self { recording: folder.path().join("run.helve"), folder, store }
    }

    fn start(&self, body: &str, store: Arc<dyn ArtifactStore>, refers: bool) -> RunHandle {
        let mut registry = Registry::new();
        registry.add_typed(Find).unwrap();
        registry.add_typed(Echo).unwrap();
        registry.add_typed(Peek(self.store.clone())).unwrap();
        let text = format!(r#"<root BTCPP_format="4"><BehaviorTree ID="Main">{body}</BehaviorTree></root>"#);
        let source = Source::new("main.xml", text);
        let catalog = catalog_of(&registry).unwrap();
        let tree = tree::load(&source, &catalog, &CompileOptions::default()).unwrap();
        let mut head =
            Head::new(&source, "a Friday").with_tools(registry.manifests()).with_key("word", "oak");
        if refers {
            head = head.with_artifacts(self.store.path().display().to_string());
        }
        let recorder = Recorder::create(&self.recording, &head).unwrap();
        let executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start()))
            .unwrap()
            .with_collaborators(Collaborators { artifacts: store, ..Collaborators::default() });
        Runner::new(tree, executor).set("word", "oak").unwrap().observe(recorder).start()
    }

    async fn run(&self) -> RunReport {
        self.start(BODY, self.store.clone(), true).report().await
    }

    fn replay(&self) -> Replay {
        Journal::open(&self.recording).unwrap().with_artifacts(self.store.clone()).replay().unwrap()
    }

    fn recorded_bytes(&self) -> u64 {
        fs::metadata(&self.recording).unwrap().len()
    }
}

#[tokio::test]
async fn a12_predicates_and_ports_read_inside_an_artifact_and_the_run_replays() {
    let rig = Rig::new();
    let report = rig.run().await;
    assert!(report.is_success(), "{:?}", report.failures);
    let kinds: Vec<_> = report.calls.iter().map(|it| it.outcome.as_ref().unwrap().kind()).collect();
    assert_eq!(kinds, ["artifact", "result", "result", "artifact", "result"]);
    assert_eq!(report.value("last"), Some(&Value::text("src/799.rs")));
    assert_eq!(report.value("odd"), Some(&Value::text("\u{1}\"ü")));
    let Some(Value::Json(hits)) = report.value("hits") else { panic!("the whole output is on the board") };
    assert!(Arc::ptr_eq(hits, report.calls[0].outcome.as_ref().unwrap().output().unwrap()), "and no copy");

    let replay = rig.replay();
    assert_eq!((&replay.difference, &replay.missing, &replay.ending), (&None, &None, &Ending::Whole));
    assert_eq!(replay.verdict, Some(report.verdict));
    let bytes = rig.store.list().unwrap()[0].bytes;
    assert!(bytes > 100_000 && rig.recorded_bytes() < bytes, "{} of {bytes}", rig.recorded_bytes());
}

#[tokio::test]
async fn a12_a_recording_without_a_lasting_store_holds_everything_itself() {
    let rig = Rig::new();
    let memory = Arc::new(MemoryArtifacts::default());
    assert!(rig.start(BODY, memory, false).report().await.is_success());
    let replay = Journal::open(&rig.recording).unwrap().replay().unwrap();
    assert_eq!((&replay.difference, &replay.missing, &replay.ending), (&None, &None, &Ending::Whole));
    assert!(rig.recorded_bytes() > 600_000);
}

#[tokio::test]
async fn a12_a_replay_goes_up_to_the_artifact_that_is_evicted_and_names_it() {
    let rig = Rig::new();
    rig.run().await;
    let id = rig.store.list().unwrap()[0].id.clone();
    let file = rig.store.path().join(&id.as_str()[..2]).join(id.as_str());
    let whole = fs::read(&file).unwrap();
    let check = |replay: Replay, why: &str| {
        assert!(replay.is_same(), "as far as it goes");
        assert_eq!((replay.inputs, replay.verdict.clone()), (1, None));
        assert!(replay.events > 3, "the run's beginning");
        let missing = replay.missing.unwrap();
        assert_eq!((&*missing.id, missing.input), (id.as_str(), 2));
        assert!(missing.why.contains(why), "{}", missing.why);
        let diagnostic = Diagnostic::from(&missing);
        let said = format!("the replay goes up to input 2, which needs the artifact {id}, an output of find");
        assert_eq!((diagnostic.code.id(), diagnostic.message), ("E0435", said));
        assert!(diagnostic.help.is_some());
    };
    check(Journal::open(&rig.recording).unwrap().replay().unwrap(), "no artifact store was named");
    fs::write(&file, &whole[1..]).unwrap();
    check(rig.replay(), "has another hash");
    assert_eq!(rig.store.clean(std::time::Duration::ZERO).unwrap().gone.len(), 1);
    check(rig.replay(), "never stored here, or is evicted");
    // The same run again brings the same content, and the old recording replays.
    fs::rename(&rig.recording, rig.folder.path().join("old.helve")).unwrap();
    rig.run().await;
    fs::rename(rig.folder.path().join("old.helve"), &rig.recording).unwrap();
    assert_eq!(rig.replay().ending, Ending::Whole);
    assert_eq!(rig.replay().missing, None);
}

#[tokio::test]
async fn a12_what_a_run_has_stored_is_pinned_until_the_run_is_gone() {
    let rig = Rig::new();
    let report = rig.run().await;
    assert_eq!(report.value("pinned"), Some(&Value::Int(1)), "both calls found the same content");
    assert!(!rig.store.list().unwrap()[0].is_pinned);
    assert!(matches!(report.value("hits"), Some(Value::Json(_))), "the report holds it all the same");
}

#[tokio::test]
async fn a12_a_value_that_comes_back_from_outside_is_named_too() {
    let rig = Rig::new();
    let body = r#"<Sequence><find word="{word}"/><WaitFor key="outside"/><WaitFor key="last"/></Sequence>"#;
    let run = rig.start(body, rig.store.clone(), true);
    let mut events = run.events();
    // What an embedder has read elsewhere: equal, and another allocation.
    let hits = Find.call(FindArguments { word: "oak".into() }, &context()).await.unwrap();
    let hits = serde_json::to_value(hits).unwrap();
    let is_answer = |event: &RunEvent| match event {
        RunEvent::Engine(event) => matches!(event.kind, EventKind::DidCall { .. }),
        _ => false,
    };
    while !is_answer(&events.next().await.unwrap()) {}
    run.set("outside", Some(Value::from_json(hits.clone()))).await.unwrap();
    run.set("last", Some(Value::from_json(hits["odd"].clone()))).await.unwrap();
    assert!(run.report().await.is_success());
    assert!(rig.recorded_bytes() < 100_000, "{}", rig.recorded_bytes());
    let replay = rig.replay();
    assert_eq!((&replay.difference, &replay.missing, &replay.ending), (&None, &None, &Ending::Whole));
}

/// The context of a call that nobody made.
fn context() -> CallContext {
    let call = helve::call::Call::new(helve::id::CallId(1), "find", helve::call::Arguments::new());
    let clock = Arc::new(RunClock::start());
    CallContext::new(
        Arc::new(call),
        helve::harness::Lease::new(),
        helve::moment::Moment::from_millis(1),
        clock,
    )
}
