//! A tool that writes files and can say so beforehand, and an approver that follows a script.

use std::collections::VecDeque;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use helve::call::Arguments;
use helve::exec::checkpoint::FolderCheckpoints;
use helve::exec::policy::Policy;
use helve::exec::{
    Approval, Approver, BoundedExecutor, Collaborators, Permissions, ToolsOwnWord, Turn, WriteRequest,
};
use helve::harness::{Root, RootPath};
use helve::id::CallId;
use helve::manifest::{Effects, ToolManifest};
use helve::moment::Moment;
use helve::outcome::Outcome;
use helve::text::Source;
use helve::tool::{
    CallContext, CancelToken, FileChange, Notice, Notices, Preview, Registry, Tool, ToolError,
};
use serde_json::{Value as Json, json};
use tokio::time::sleep;

use crate::rig::{Paused, call};

/// Something that somebody else does at a certain moment.
pub type Meanwhile = Box<dyn Fn(usize) + Send + Sync>;

/// Writes `text` to `path` below its folder; `null` removes the file.
pub struct Pen {
    manifest: Arc<ToolManifest>,
    folder: PathBuf,
    pub runs: AtomicUsize,
    /// Happens when the tool has begun and not yet written; gets the number of the run.
    pub before_write: Meanwhile,
}

#[async_trait]
impl Tool for Pen {
    fn manifest(&self) -> &Arc<ToolManifest> {
        &self.manifest
    }

    async fn call(&self, arguments: &Arguments, cx: &CallContext) -> Result<Json, ToolError> {
        let run = self.runs.fetch_add(1, Ordering::SeqCst) + 1;
        (self.before_write)(run);
        sleep(Duration::from_millis(arguments.get("ms").and_then(Json::as_u64).unwrap_or_default())).await;
        let root = Root::open(&self.folder)?;
        for (path, text) in writes(arguments) {
            match text {
                Some(text) => root.write(&path, text.as_bytes(), cx.lease())?,
                None => root.remove_file(&path, cx.lease())?,
            }
        }
        Ok(json!({"run": run}))
    }

    async fn preview(&self, arguments: &Arguments, cx: &CallContext) -> Result<Option<Preview>, ToolError> {
        match arguments.get("preview").and_then(Json::as_str) {
            Some("none") => return Ok(None),
            Some("fails") => return Err(ToolError::user_input("no such note")),
            Some("panics") => panic!("out of ink"),
            Some("hangs") => std::future::pending().await,
            Some("writes") => drop(Root::open(&self.folder)?.write(&path("a"), b"preview", cx.lease())?),
            Some("lies") => return Ok(Some(Preview::default())),
            _ => {}
        }
        let root = Root::open(&self.folder)?;
        let change = |(path, text): (RootPath, Option<String>)| FileChange {
            root: self.folder.clone(),
            before: root.read(&path, 1 << 20).ok().map(Into::into),
            after: text.map(|text| text.into_bytes().into()),
            path,
        };
        Ok(Some(Preview { changes: writes(arguments).into_iter().map(change).collect() }))
    }
}

fn writes(arguments: &Arguments) -> Vec<(RootPath, Option<String>)> {
    let write = |(name, text): (&String, &Json)| (path(name), text.as_str().map(str::to_owned));
    arguments["write"].as_object().unwrap().iter().map(write).collect()
}

pub fn path(name: &str) -> RootPath {
    RootPath::parse(name).unwrap()
}

/// Answers by a script, and does something while it is asked.
pub struct Script {
    answers: Mutex<VecDeque<Approval>>,
    pub asked: Mutex<Vec<WriteRequest>>,
    meanwhile: Meanwhile,
    takes: Duration,
}

#[async_trait]
impl Approver for Script {
    async fn approve(&self, request: &WriteRequest) -> Approval {
        let asked = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(request.clone());
            asked.len()
        };
        sleep(self.takes).await;
        (self.meanwhile)(asked);
        self.answers.lock().unwrap().pop_front().expect("an answer")
    }
}

pub fn yes() -> Approval {
    Approval::Yes { by: "the tester".into() }
}

pub fn no() -> Approval {
    Approval::No { by: "the tester".into(), details: "not today".into(), hint: None }
}

/// What a desk is set up with.
pub struct Setup {
    pub answers: Vec<Approval>,
    pub takes: Duration,
    pub while_asked: Meanwhile,
    pub before_write: Meanwhile,
    pub confirms: bool,
    /// Rules instead of the tool's own word; their files begin at the folder of files.
    pub policy: Option<&'static str>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            answers: Vec::new(),
            takes: Duration::ZERO,
            while_asked: Box::new(|_| {}),
            before_write: Box::new(|_| {}),
            confirms: true,
            policy: None,
        }
    }
}

/// A folder of files, a pen, somebody who is asked, and checkpoints.
pub struct Desk {
    pub folder: Arc<tempfile::TempDir>,
    pub pen: Arc<Pen>,
    pub script: Arc<Script>,
    pub checkpoints: FolderCheckpoints,
    pub executor: BoundedExecutor,
    pub heard: Arc<Heard>,
}

#[derive(Default)]
pub struct Heard(pub Mutex<Vec<(&'static str, Json)>>);

impl Notices for Heard {
    fn notice(&self, _: CallId, notice: Notice) {
        if let Notice::Event { name, payload } = notice {
            self.0.lock().unwrap().push((name, payload));
        }
    }
}

impl Desk {
    pub fn new(folder: Arc<tempfile::TempDir>, setup: Setup) -> Self {
        let Setup { answers, takes, while_asked, before_write, confirms, policy } = setup;
        let files = folder.path().join("files");
        fs::create_dir_all(&files).unwrap();
        let schema = json!({"type": "object", "properties": {"write": {"type": "object"}}});
        let pen = |name: &str, before_write| {
            let manifest = ToolManifest::new(name, "writes", schema.clone()).effects(Effects::Writes);
            let manifest = Arc::new(if confirms { manifest.confirms() } else { manifest });
            Arc::new(Pen { manifest, folder: files.clone(), runs: AtomicUsize::new(0), before_write })
        };
        let (pen, pencil) = (pen("pen", before_write), pen("pencil", Box::new(|_| {})));
        let (answers, asked) = (Mutex::new(answers.into()), Mutex::default());
        let script = Arc::new(Script { answers, asked, meanwhile: while_asked, takes });
        let checkpoints = FolderCheckpoints::new(folder.path().join("kept")).dated_by(|| "today".into());
        let mut registry = Registry::new();
        registry.add(pen.clone()).unwrap();
        registry.add(pencil).unwrap();
        let permissions: Arc<dyn Permissions> = match policy {
            Some(text) => {
                let policy = Policy::read(&Source::new("policy.toml", text)).expect("a policy");
                Arc::new(policy.from_folder(files.canonicalize().unwrap()))
            }
            None => Arc::new(ToolsOwnWord),
        };
        let collaborators = Collaborators {
            permissions,
            approver: script.clone(),
            checkpoints: Arc::new(checkpoints.clone()),
            ..Collaborators::default()
        };
        let heard = Arc::new(Heard::default());
        let executor = BoundedExecutor::new(Arc::new(registry), Paused::start())
            .unwrap()
            .with_collaborators(collaborators)
            .with_notices(heard.clone());
        Self { folder, pen, script, checkpoints, executor, heard }
    }

    pub fn with(setup: Setup) -> Self {
        Self::new(Arc::new(tempfile::tempdir().unwrap()), setup)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join("files").join(name)
    }

    pub fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.file(name)).ok()
    }

    pub fn asked(&self) -> usize {
        self.script.asked.lock().unwrap().len()
    }

    pub fn runs(&self) -> usize {
        self.pen.runs.load(Ordering::SeqCst)
    }

    pub async fn write(&self, arguments: Json) -> Outcome {
        self.write_in(&Turn::default(), arguments).await
    }

    pub async fn write_in(&self, turn: &Turn, arguments: Json) -> Outcome {
        self.write_with("pen", turn, arguments).await
    }

    /// The same with one of the two tools: `pen`, `pencil`.
    pub async fn write_with(&self, tool: &str, turn: &Turn, arguments: Json) -> Outcome {
        self.executor.execute(&Arc::new(call(tool, arguments)), turn, &CancelToken::new()).await
    }

    /// A moment of a clock that nobody looks at.
    pub fn later(seconds: u64) -> Moment {
        Moment::ZERO + Duration::from_secs(seconds)
    }
}
