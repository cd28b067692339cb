//! The rig.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use helve::backend::process::{Reports, Surroundings, load};
use helve::call::Call;
use helve::exec::{BoundedExecutor, Turn};
use helve::harness::{End, Root};
use helve::id::CallId;
use helve::outcome::{Outcome, ToolFailure};
use helve::run::RunClock;
use helve::tool::{CancelToken, Notice, Notices, Registry};
use serde_json::Value as Json;
use tokio::sync::mpsc;

/// Generous: a call that is not about time must never meet it, however busy the machine is.
const LONG: Duration = Duration::from_secs(40);

/// One program as a tool.
pub struct Rig {
    folder: tempfile::TempDir,
    variables: BTreeMap<String, String>,
    ends: tokio::sync::Mutex<mpsc::Receiver<End>>,
    ended: mpsc::Sender<End>,
    heard: Arc<Heard>,
    /// Made at the first call, when all variables are known.
    executor: OnceLock<BoundedExecutor>,
}

#[derive(Default)]
struct Heard {
    notices: Mutex<Vec<Notice>>,
    more: tokio::sync::Notify,
}

impl Notices for Heard {
    fn notice(&self, _: CallId, notice: Notice) {
        self.notices.lock().unwrap().push(notice);
        self.more.notify_one();
    }
}

struct Ends(mpsc::Sender<End>);

impl Reports for Ends {
    fn ended(&self, _: CallId, end: &End) {
        let _ = self.0.try_send(end.clone());
    }
}

impl Rig {
    /// The tool of these lines of a manifest; its program is a shell with this script, unless the
    /// lines name a command.
    pub fn new(manifest: &str, script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (ended, ends) = mpsc::channel(64);
        let rig = Self {
            folder,
            variables: std::env::var("PATH").map(|path| ("PATH".into(), path)).into_iter().collect(),
            ends: tokio::sync::Mutex::new(ends),
            ended,
            heard: Arc::default(),
            executor: OnceLock::new(),
        };
        let command = match manifest.contains("command =") {
            true => "",
            false => "command = \"sh\"\nargs = [\"{here}/script.sh\"]\n",
        };
        let text = format!("name = \"it\"\ndescription = \"Does it.\"\n{command}{manifest}\n");
        fs::write(rig.path("tool.toml"), text).unwrap();
        fs::write(rig.path("script.sh"), script).unwrap();
        fs::write(rig.path("own"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(rig.path("own"), fs::Permissions::from_mode(0o755)).unwrap();
        rig
    }

    /// The same with a variable in the host's environment.
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The number that the program has written into a file.
    pub fn pid(&self, name: &str) -> i32 {
        fs::read_to_string(self.path(name)).unwrap().trim().parse().unwrap()
    }

    pub fn notices(&self) -> Vec<Notice> {
        self.heard.notices.lock().unwrap().clone()
    }

    /// The end of the process, awaited.
    pub async fn end(&self) -> End {
        let next = async { self.ends.lock().await.recv().await.unwrap() };
        tokio::time::timeout(LONG, next).await.expect("the process ends")
    }

    pub async fn call(&self, arguments: Json) -> Outcome {
        self.call_within(arguments, LONG).await
    }

    pub async fn call_within(&self, arguments: Json, timeout: Duration) -> Outcome {
        self.executor().execute(&call(arguments, timeout), &Turn::default(), &CancelToken::new()).await
    }

    /// Calls, and cancels the call once it has said this.
    pub async fn call_until(&self, arguments: Json, said: &Notice) -> Outcome {
        let cancel = CancelToken::new();
        let (executor, turn) = (self.executor(), Turn::default());
        let call = call(arguments, LONG);
        let calling = executor.execute(&call, &turn, &cancel);
        let cancelling = async {
            self.until(said).await;
            cancel.cancel();
        };
        tokio::join!(calling, cancelling).0
    }

    /// Begins a call that nobody waits for, and answers when it has said this.
    pub async fn begin(&self, said: &Notice) {
        let executor = self.executor();
        let begun = async move {
            executor
                .execute(&call(Json::Object(Default::default()), LONG), &Turn::default(), &CancelToken::new())
                .await
        };
        drop(tokio::spawn(begun));
        self.until(said).await;
    }

    async fn until(&self, said: &Notice) {
        let heard = async {
            while !self.notices().contains(said) {
                self.heard.more.notified().await;
            }
        };
        tokio::time::timeout(LONG, heard).await.expect("the program says it");
    }

    fn executor(&self) -> BoundedExecutor {
        self.executor.get_or_init(|| self.load()).clone()
    }

    fn load(&self) -> BoundedExecutor {
        let root = Root::open(self.folder.path()).unwrap();
        let variables = self.variables.clone();
        let surroundings = Surroundings::new(root)
            .with_environment(move |name| variables.get(name).cloned())
            .with_reports(Arc::new(Ends(self.ended.clone())));
        let mut registry = Registry::new();
        for tool in load(&[self.path("tool.toml")], &surroundings).unwrap_or_else(|faults| panic!("{faults}"))
        {
            registry.add(tool).unwrap();
        }
        BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start()))
            .unwrap()
            .with_notices(self.heard.clone())
    }
}

fn call(arguments: Json, timeout: Duration) -> Arc<Call> {
    let Json::Object(arguments) = arguments else { panic!("arguments are an object") };
    Arc::new(Call { timeout: Some(timeout), ..Call::new(CallId(1), "it", arguments) })
}

/// The result of a call that must have one.
#[track_caller]
pub fn output(outcome: &Outcome) -> Json {
    outcome.output().map_or_else(|| panic!("{outcome:?}"), |output| (**output).clone())
}

/// The failure of a call that must have one.
#[track_caller]
pub fn failure(outcome: &Outcome) -> &ToolFailure {
    match outcome {
        Outcome::ToolFailure(it) => it,
        other => panic!("{other:?}"),
    }
}

/// Whether a process is there and more than an entry that its parent has not collected yet.
pub fn is_alive(pid: i32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}
