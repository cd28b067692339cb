//! `helve run`

use std::io;
use std::sync::Arc;

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::cli::args::RunArgs;
use crate::cli::ends::Ends;
use crate::cli::entry::Exit;
use crate::cli::metrics::Meter;
use crate::cli::out::Out;
use crate::cli::picture::Picture;
use crate::cli::setting::{Setting, settings};
use crate::cli::stage::Stage;
use crate::cli::toolbox::{self, Folders};
use crate::cli::{artifact_folder, live, load, permit, plain, summary};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::engine::Verdict;
use crate::exec::artifact::DiskArtifacts;
use crate::exec::{BoundedExecutor, Collaborators, Turn, TurnSettings, WebMode};
use crate::journal::{FaultHandle, Head, Recorder};
use crate::run::{RunClock, RunReport, Runner, catalog_of, unix_seconds};
use crate::status::Status;
use crate::text::system_words;
use crate::tool::Registry;
use crate::tools::vault::rfc3339;
use crate::tree::Tree;

pub(super) fn run(args: &RunArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|fault| {
        Diagnostic::new(Code::E0408, format!("threads cannot be started: {}", system_words(&fault)))
    })?;
    let exit = runtime.block_on(prepare_and_run(args, out));
    // A tool that hangs on a thread of its own has left its outcome; it is not waited for.
    runtime.shutdown_background();
    exit
}

async fn prepare_and_run(args: &RunArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    let folders =
        Folders { root: args.root.clone(), vault: args.vault.clone(), programs: args.programs.tools.clone() };
    let ends = Arc::new(Ends::default());
    let registry = toolbox::registry_heard_by(&folders, Some(ends.clone()))?;
    let (catalog, options) = (catalog_of(&registry)?, load::options(&args.rules)?);
    let (tree, warnings) = load::without_faults(&args.file, &args.includes.roots, &catalog, &options)?;
    out.faults(&warnings);
    let settings = settings(&tree, &args.set)?;
    toolbox::check_folders(&tree, &folders)?;
    // Its faults are told before anything is made.
    let stage = Stage::new();
    let permissions = permit::collaborators(&args.permissions, &registry, &stage, out)?;
    // Before the recording: a run that cannot begin leaves no file.
    let meter = Meter::start(args.metrics.as_deref(), out).await?;
    let artifacts = artifact_folder::for_run(args.artifacts.as_deref(), out)?;
    let head = head(&tree, &registry, &settings, artifacts.as_deref()).with_options(&options);
    let recorder = (args.record.as_ref()).map(|path| Recorder::create(path, &head)).transpose();
    let recorder = recorder.map_err(Diagnostic::from)?;
    let incomplete = recorder.as_ref().map(Recorder::fault_handle);
    let mut executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start()))?
        .with_collaborators(with_artifacts(permissions, artifacts));
    if let Some(meter) = &meter {
        executor = meter.metrics.listen_to(executor);
    }
    let web = if args.web { WebMode::On } else { WebMode::Off };
    let turn = Turn::new(TurnSettings { web, ..TurnSettings::authored() });
    let mut runner = Runner::new(tree.clone(), executor).in_turn(turn);
    for (key, value) in settings {
        runner = runner.set(&key, value).map_err(|fault| Diagnostic::new(Code::E0402, fault.to_string()))?;
    }
    if let Some(recorder) = recorder {
        runner = runner.observe(recorder);
    }
    if let Some(meter) = &meter {
        runner = runner.observe(meter.metrics.observer());
    }
    let (report, picture) = watch(runner, &tree, args, (out, &stage)).await;
    drop(meter);
    if args.json {
        out.json(&summary::to_json(&report, &ends));
    } else {
        summary::print(&report, &picture, &ends, out);
    }
    tell_incomplete(incomplete.as_ref(), out);
    Ok(exit_of(&report))
}

fn with_artifacts(others: Collaborators, artifacts: Option<Arc<DiskArtifacts>>) -> Collaborators {
    match artifacts {
        Some(artifacts) => Collaborators { artifacts, ..others },
        None => others,
    }
}

fn head(tree: &Tree, registry: &Registry, settings: &[Setting], artifacts: Option<&DiskArtifacts>) -> Head {
    let mut head = Head::new(tree.texts(), rfc3339(unix_seconds())).with_tools(registry.manifests());
    for (key, value) in settings {
        head = head.with_key(key.as_str(), value.clone());
    }
    // What is kept in memory is gone when somebody replays: such a recording holds it itself.
    match artifacts {
        Some(artifacts) => head.with_artifacts(artifacts.path().display().to_string()),
        None => head,
    }
}

/// Runs to the end, shown as it was asked for. Ctrl-C halts the tree and waits for its calls.
async fn watch(
    runner: Runner,
    tree: &Arc<Tree>,
    args: &RunArgs,
    (out, stage): (&mut Out, &Stage),
) -> (RunReport, Picture) {
    let mut picture = Picture::new(tree.clone());
    // Heard from before the run begins: an interrupt meanwhile must not end the process with calls under way.
    let interrupts = signal(SignalKind::interrupt());
    let run = runner.start();
    let mut events = run.events();
    let interrupts = tokio::spawn(halt_on_interrupt(interrupts, run.halter()));
    let show = async {
        if args.json {
            while let Some(event) = events.next().await {
                picture.take(&event);
            }
        } else if out.is_terminal() && !args.plain {
            let colour = out.colour();
            live::show(&mut events, &mut picture, colour, stage).await;
        } else {
            plain::show(&mut events, &mut picture, tree, (&mut *out, stage)).await;
            out.line("");
        }
    };
    let ((), report) = tokio::join!(show, run.report());
    interrupts.abort();
    (report, picture)
}

/// The first interrupt halts the tree; the second ends the process at once.
async fn halt_on_interrupt(interrupts: io::Result<Signal>, halt: impl Fn()) {
    // Without the handler an interrupt ends the process, as it does any other program.
    let Ok(mut interrupts) = interrupts else { return };
    if interrupts.recv().await.is_some() {
        halt();
    }
    if interrupts.recv().await.is_some() {
        let _ = crossterm::execute!(io::stdout(), crossterm::cursor::Show);
        std::process::exit(Exit::INTERRUPTED.into());
    }
}

fn tell_incomplete(incomplete: Option<&FaultHandle>, out: &mut Out) {
    if let Some(fault) = incomplete.and_then(FaultHandle::fault) {
        out.faults(&Diagnostic::from(fault).into());
    }
}

fn exit_of(report: &RunReport) -> Exit {
    match &report.verdict {
        Verdict::Status(Status::Success) => Exit::Success,
        Verdict::Halted => Exit::Interrupted,
        Verdict::Status(_) | Verdict::Fault(_) => Exit::Failure,
    }
}
