//! Records a run from inside its loop.

use std::fmt;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::diag::Diagnostic;
use crate::engine::{Engine, Input};
use crate::event::Event;
use crate::id::CallId;
use crate::journal::error::{JournalError, Kind};
use crate::journal::referred::Referred;
use crate::journal::schema::Identity;
use crate::journal::writer::Writer;
use crate::journal::{Head, schema};
use crate::moment::Moment;
use crate::run::Observer;
use crate::tool::Notice;

/// Records a run, ahead of its effects: an input is committed before the engine sees it, and the
/// events that it caused, every call's intent among them, before a call is started.
///
/// A fault of the recording never breaks the run. The first one ends the recording and can be read
/// from the [`FaultHandle`]; what was recorded until then replays.
///
/// # Example
/// ```
/// # use std::sync::Arc;
/// use helve::journal::{Head, Journal, Recorder};
/// # use helve::{exec::BoundedExecutor, run::{RunClock, Runner, catalog_of}, text::Source, tool::Registry, tree};
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// # runtime.block_on(async {
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("run.helve");
/// # let source = Source::new("a.xml", r#"<root BTCPP_format="4"><BehaviorTree>
/// #     <Delay delay_msec="5"><AlwaysSuccess/></Delay></BehaviorTree></root>"#);
/// # let registry = Registry::new();
/// # let tree = tree::load(&source, &catalog_of(&registry)?, &tree::CompileOptions::default())?;
/// let head = Head::new(&source, "2031-05-04 10:00").with_tools(registry.manifests());
/// let recorder = Recorder::create(&file, &head)?;
/// let fault = recorder.fault_handle();
/// # let executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start()))?;
/// let report = Runner::new(tree, executor).observe(recorder).start().report().await;
/// assert!(fault.fault().is_none());
///
/// let replay = Journal::open(&file)?.replay()?;
/// assert!(replay.is_same());
/// assert_eq!(replay.verdict, Some(report.verdict));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
pub struct Recorder {
    /// Gone after a fault, and after the end.
    writer: Option<Writer>,
    handle: FaultHandle,
}

impl Recorder {
    /// Makes the file `path`, readable by its owner alone, and writes the head.
    ///
    /// # Errors
    /// When the file exists, whatever it holds: a recording is never written over, nor is another
    /// file. When it cannot be made; nothing is left of it then.
    pub fn create(path: &Path, head: &Head) -> Result<Self, JournalError> {
        let referred = Referred::of(head);
        let head = head.to_json().map_err(|kind| JournalError::new(path, kind))?;
        make_file(path).map_err(|fault| JournalError::new(path, not_made(path, fault)))?;
        match schema::create(path, &head) {
            Ok(db) => {
                let writer = Some(Writer::new(db, path, referred));
                Ok(Self { writer, handle: FaultHandle::default() })
            }
            Err(fault) => {
                // It was made above and holds nothing that anybody wants.
                let _ = fs::remove_file(path);
                Err(JournalError::unwritten(path)(fault))
            }
        }
    }

    /// The same recorder with another bound than [`JOURNAL_BYTES_MAX`](crate::limits::JOURNAL_BYTES_MAX) on inputs and events.
    #[must_use]
    pub fn with_bytes_max(mut self, bytes_max: u64) -> Self {
        if let Some(writer) = &mut self.writer {
            writer.set_bytes_max(bytes_max);
        }
        self
    }

    /// Where the first fault can be read while the run goes on and when it has ended.
    pub fn fault_handle(&self) -> FaultHandle {
        self.handle.clone()
    }

    fn write(&mut self, step: impl FnOnce(&mut Writer) -> Result<(), JournalError>) {
        let Some(mut writer) = self.writer.take() else { return };
        match step(&mut writer) {
            Ok(()) => self.writer = Some(writer),
            Err(error) => {
                let events = writer.abandon(&error);
                self.handle.0.get_or_init(|| Incomplete { events, error });
            }
        }
    }
}

impl Observer for Recorder {
    fn will_handle(&mut self, now: Moment, input: &Input) {
        self.write(|writer| writer.input(now, input));
    }

    fn did_permit(&mut self, now: Moment, call: CallId, notice: &Notice) {
        if let Notice::Event { name, payload } = notice {
            self.write(|writer| writer.permission(now, call, name, payload));
        }
    }

    fn did_happen(&mut self, event: &Event) {
        self.write(|writer| writer.event(event));
    }

    fn settled(&mut self) {
        self.write(Writer::commit);
    }

    fn did_end(&mut self, engine: &Engine) {
        if let Some(verdict) = engine.verdict() {
            self.write(|writer| writer.end(verdict));
        }
        self.writer = None;
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("fault", &self.handle.fault()).finish_non_exhaustive()
    }
}

/// Makes an empty file that only its owner may read: what tools were told and answered is nobody
/// else's business.
fn make_file(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

fn not_made(path: &Path, fault: io::Error) -> Kind {
    if fault.kind() != io::ErrorKind::AlreadyExists {
        return Kind::Uncreatable(Arc::new(fault));
    }
    Kind::Exists { is_journal: matches!(schema::identity(path), Ok(Identity::Journal { .. })) }
}

/// Tells of the fault that ended a recording.
#[derive(Clone, Debug, Default)]
pub struct FaultHandle(Arc<OnceLock<Incomplete>>);

impl FaultHandle {
    /// The fault; `None` while all is well.
    pub fn fault(&self) -> Option<&Incomplete> {
        self.0.get()
    }
}

/// A recording that stopped before its run did.
#[derive(Clone, Debug)]
pub struct Incomplete {
    /// How many events are in the file.
    pub events: u64,
    /// Why there are no more.
    pub error: JournalError,
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the recording is incomplete from event {} on: {}", self.events + 1, self.error)
    }
}

impl std::error::Error for Incomplete {}

impl From<&Incomplete> for Diagnostic {
    fn from(incomplete: &Incomplete) -> Self {
        let Incomplete { events, error } = incomplete;
        Self::from(error.clone()).note(format!(
            "the recording is incomplete from event {} on; the run went on without it",
            events + 1
        ))
    }
}
