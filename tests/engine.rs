//! What the engine does, event by event: cases of `tests/data/semantics`, each a tree and a script
//! of inputs with everything that came out. `HELVE_UPDATE=1` writes the answers anew.
//!
//! Every case is driven four ways, which must make no difference: input by input, visit by visit,
//! saved and gone back to, forked. What must hold of any run is checked on random trees and
//! scripts.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use helve::catalog::{Class, Leaf, LeafContext, LeafError, NodeManifest};
use helve::engine::{Engine, Input, Verdict};
use helve::event::EventKind;
use helve::id::ScopeId;
use helve::limits::{HANDOVERS_PER_PULSE_MAX, PULSE, TICKS_PER_INPUT_MAX};
use helve::moment::Moment;
use helve::status::Status;
use helve::text::Source;
use helve::tree::{self, CompileOptions, Tree};
use helve::value::Value;
use proptest::prelude::*;

#[path = "rig/fuzz.rs"]
mod fuzz;
mod rig;

use rig::script::{outcome, perform};
use rig::trees::{Words, any_file};
use rig::{Mode, Rig, load};

const MODES: [Mode; 4] = [Mode::Whole, Mode::Stepped, Mode::Restored, Mode::Forked];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/semantics")
}

/// Runs the cases of one file; answers the file as it should be.
fn replay(text: &str, mode: Mode) -> String {
    let mut cases = text.split("=== ");
    let mut out = cases.next().unwrap_or_default().to_owned();
    for case in cases {
        let (head, script) = case.split_once("---\n").expect("a case has its tree above `---`");
        let (title, xml) = head.split_once('\n').expect("a case has its title in the first line");
        let _ = writeln!(out, "=== {title}\n{}\n---", xml.trim());
        let tree = load(xml).expect(title);
        let mut rig = Rig::new(tree, mode);
        for input in script.lines().filter_map(|line| line.strip_prefix("> ")) {
            let had = rig.engine.verdict().is_some();
            let _ = writeln!(out, "> {input}");
            for line in perform(&mut rig, input) {
                let _ = writeln!(out, "{line}");
            }
            // A run that is driven by hand has nobody to note its verdict.
            if mode != Mode::Stepped
                && let Some(verdict) = rig.verdict().filter(|_| !had)
            {
                let _ = writeln!(out, "the run: {verdict}");
            }
        }
        out.push('\n');
    }
    out.trim_end().to_owned() + "\n"
}

fn without_verdicts(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("the run: ")).map(|line| format!("{line}\n")).collect()
}

#[track_caller]
fn check(file: &str) {
    let path = folder().join(file);
    let text = fs::read_to_string(&path).expect("the cases can be read");
    for mode in MODES {
        let got = replay(&text, mode);
        if mode == Mode::Whole && std::env::var_os("HELVE_UPDATE").is_some() {
            fs::write(&path, got).expect("the cases can be written");
            return;
        }
        let expected = if mode == Mode::Stepped { without_verdicts(&text) } else { text.clone() };
        for (number, (got, expected)) in lines(&got).zip(lines(&expected)).enumerate() {
            assert_eq!(got, expected, "{file}, {mode:?}, line {}", number + 1);
        }
    }
}

/// The lines and an end, so that a text which only goes on is another text.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.trim_end().lines().chain(["the end"])
}

#[test]
fn tools() {
    check("tools.txt");
}

#[test]
fn outcomes() {
    check("outcomes.txt");
}

#[test]
fn halting() {
    check("halting.txt");
}

#[test]
fn time() {
    check("time.txt");
}

#[test]
fn enums() {
    check("enums.txt");
}

#[test]
fn guards() {
    check("guards.txt");
}

#[test]
fn loops() {
    check("loops.txt");
}

#[test]
fn race() {
    check("race.txt");
}

#[test]
fn wait_for() {
    check("wait_for.txt");
}

#[test]
fn budget() {
    check("budget.txt");
}

#[test]
fn catch() {
    check("catch.txt");
}

#[test]
fn for_each() {
    check("for_each.txt");
}

#[test]
fn every_file_of_cases_has_its_test() {
    let mut files: Vec<_> = (fs::read_dir(folder()).expect("the folder of cases"))
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let known = [
        "budget", "catch", "enums", "for_each", "guards", "halting", "loops", "outcomes", "race", "time",
        "tools", "wait_for",
    ];
    assert_eq!(files, known.map(|name| format!("{name}.txt")));
}

/// The page about the nodes that the dialect lacks.
const EXTENSIONS: &str = include_str!("../src/docs/extensions.md");

#[test]
fn every_extension_is_on_the_page_of_extensions() {
    for manifest in helve::node::catalog().iter().filter(|manifest| manifest.extension) {
        assert!(EXTENSIONS.contains(&format!("## {}\n", manifest.name)), "{} is on no page", manifest.name);
    }
    for manifest in helve::node::catalog().iter() {
        for port in manifest.ports.iter().filter(|port| port.name.starts_with('_')) {
            assert!(
                EXTENSIONS.contains(&format!("| `{}` | `{}` |", port.name, manifest.name)),
                "{}",
                port.name
            );
        }
    }
}

#[test]
fn every_example_of_the_page_of_extensions_loads() {
    let examples: Vec<_> =
        EXTENSIONS.split("```xml\n").skip(1).filter_map(|rest| rest.split_once("```")).collect();
    assert!(examples.len() >= 7);
    for (example, _) in examples {
        if let Err(faults) = load(example) {
            panic!("{example}\n{faults}");
        }
    }
}

/// Gives a reason and succeeds all the same.
struct Undecided;

impl Leaf for Undecided {
    fn start(&self, cx: &mut dyn LeafContext) -> Result<Status, LeafError> {
        cx.because("it changed its mind".to_owned());
        Ok(Status::Success)
    }
}

/// A leaf that gives a reason and succeeds, then one that fails.
fn undecided() -> Arc<Tree> {
    let mut catalog = helve::node::catalog();
    catalog.add(NodeManifest::leaf("Undecided", Class::Action, Vec::new(), Undecided)).expect("a new name");
    let xml = r#"<root BTCPP_format="4"><BehaviorTree>
        <Sequence><Undecided/><ForceFailure><AlwaysFailure/></ForceFailure></Sequence>
    </BehaviorTree></root>"#;
    tree::load(&Source::new("case", xml), &catalog, &CompileOptions::default()).expect("it loads")
}

fn reasons_of_a_tick(tree: &Tree, engine: &mut Engine) -> Vec<String> {
    engine.handle(Moment::ZERO, Input::Tick);
    std::iter::from_fn(|| engine.poll_event())
        .filter_map(|event| match event.kind {
            EventKind::DidFail { node, reason } => Some(format!("{} {reason}", tree.path(node))),
            _ => None,
        })
        .collect()
}

#[test]
fn a_reason_that_a_leaf_gives_before_it_succeeds_is_nobodys() {
    let tree = undecided();
    let mut engine = Engine::new(tree.clone()).observed();
    assert_eq!(reasons_of_a_tick(&tree, &mut engine), ["AlwaysFailure::4 it always fails"]);
}

#[test]
fn a_run_that_nobody_watched_tells_its_reasons_to_whoever_goes_on_with_it() {
    let tree = undecided();
    let mut unwatched = Engine::new(tree.clone());
    for _ in 0..2 {
        assert_eq!(unwatched.step(), Ok(None));
    }
    let mut engine = Engine::new(tree.clone()).observed();
    engine.restore(unwatched.snapshot());
    assert_eq!(reasons_of_a_tick(&tree, &mut engine), ["AlwaysFailure::4 it always fails"]);
}

#[test]
fn a_write_from_outside_that_does_not_fit_says_why_and_changes_nothing() {
    let tree = load(r#"<Repeat num_cycles="{n}"><AlwaysSuccess/></Repeat>"#).expect("it loads");
    let mut engine = Engine::new(tree);
    engine.set("n", Some(Value::Int(2))).expect("it fits");
    let fault = engine.set("n", Some(Value::text("many"))).expect_err("it does not fit");
    assert_eq!(fault.to_string(), "the key `n` of type int does not take this value: \"many\" is no int");
    assert_eq!(engine.get("n"), Some(&Value::Int(2)));
}

#[test]
fn a_key_that_no_tree_names_is_found_again_under_both_its_names() {
    let mut engine = Engine::new(load("<AlwaysSuccess/>").expect("it loads"));
    engine.set("@late", Some(Value::Int(1))).expect("a late key");
    engine.set("late", Some(Value::Int(2))).expect("the same key");
    assert_eq!((engine.get("late"), engine.get("@late")), (Some(&Value::Int(2)), Some(&Value::Int(2))));
    let slot = engine.board().find(ScopeId::new(0), "late").expect("its slot");
    assert_eq!(engine.board().key(slot), "late");
}

#[test]
fn ticks_that_a_tree_asks_for_are_bounded_by_input() {
    let tree = load(r#"<Repeat num_cycles="-1"><AlwaysSuccess/></Repeat>"#).expect("it loads");
    let mut engine = Engine::new(tree);
    engine.handle(Moment::from_millis(5), Input::Tick);
    assert_eq!(engine.ticks(), u64::from(TICKS_PER_INPUT_MAX));
    assert_eq!(engine.next_deadline(), Some(Moment::from_millis(5)), "it asks to be woken at once");
    engine.handle(Moment::from_millis(5), Input::Halt);
    assert_eq!((engine.verdict(), engine.next_deadline()), (Some(&Verdict::Halted), None));
}

/// Levels of the deep tree.
const DEEP: usize = 100_000;
/// A stack on which a recursive walk of [`DEEP`] levels would not end well.
const SMALL_STACK_BYTES: usize = 256 << 10;

/// One branch waits for the key that the other one writes at every tick, without ever giving it a value.
const CIRCLE: &str = r#"<Parallel success_count="2" failure_count="1">
    <WaitFor key="a"/>
    <KeepRunningUntilFailure><UnsetBlackboard key="a"/></KeepRunningUntilFailure>
</Parallel>"#;

#[test]
fn a_key_that_is_awaited_and_written_for_ever_leaves_the_processor_to_others() {
    let mut rig = Rig::new(load(CIRCLE).expect("it loads"), Mode::Whole);
    perform(&mut rig, "tick");
    let before = rig.engine.ticks();
    rig.wait(1_000);
    let pulses = 1_000 / u64::try_from(PULSE.as_millis()).expect("a short time");
    let ticks = rig.engine.ticks() - before;
    // Beside those at once there is the one that the pulse brings.
    let most = (pulses + 1) * u64::from(HANDOVERS_PER_PULSE_MAX + 1);
    assert!((most / 2..=most).contains(&ticks), "{ticks} ticks, at most {most}");
}

fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(SMALL_STACK_BYTES).spawn(work).expect("a thread");
    thread.join().expect("the work ends well");
}

fn deep(leaf: &str) -> String {
    format!("{}{leaf}{}", "<Inverter>".repeat(DEEP), "</Inverter>".repeat(DEEP))
}

#[test]
fn a_tree_of_any_depth_loads_ticks_halts_and_drops() {
    on_a_small_stack(|| {
        let tree = load(&deep(r#"<Scripted plan="R,S"/>"#)).expect("it loads");
        assert_eq!(tree.len(), DEEP + 1);
        let mut engine = Engine::new(tree.clone());
        assert_eq!(engine.tick(Moment::ZERO), Some(Status::Running));
        let saved = engine.snapshot();
        assert_eq!(engine.tick(Moment::ZERO), Some(Status::Success));
        engine.restore(saved);
        engine.apply(Moment::ZERO, Input::Halt);
        assert_eq!(engine.verdict(), Some(&Verdict::Halted));
        assert!(tree.ids().all(|id| engine.status(id) == Status::Idle));
        assert!(tree::draw(&tree, |_| Default::default()).lines.len() == tree.len());
    });
}

/// Tools, whose calls stay open, and everything that may stand around them.
const TOOLS: Words = Words {
    leaves: &[
        r#"<Script code="m := n + 1"/>"#,
        r#"<ScriptCondition code="n &gt; 1"/>"#,
        r#"<Sleep msec="40"/>"#,
        r#"<WasEntryUpdated entry="{n}"/>"#,
        r#"<SetBlackboard value="{n}" output_key="h"/>"#,
        r#"<UnsetBlackboard key="h"/>"#,
        r#"<ping result="{r}"/>"#,
        r#"<ping/>"#,
        r#"<search query="{r}" hits="{hits}"/>"#,
        r#"<ToolLeaf tool="{tool}" result="{n}"/>"#,
        r#"<AlwaysSuccess/>"#,
        r#"<AlwaysFailure/>"#,
        r#"<Scripted plan="R,S,R,F"/>"#,
        r#"<Check plan="S,F,S"/>"#,
    ],
    controls: &[
        ("Sequence", 1, 3),
        ("Fallback", 1, 3),
        ("ReactiveSequence", 1, 3),
        ("ReactiveFallback", 1, 3),
        ("Parallel", 1, 3),
        ("ParallelAll", 1, 3),
        ("Race", 1, 3),
        ("AsyncSequence", 1, 3),
        ("AsyncFallback", 1, 3),
        ("SequenceWithMemory", 1, 3),
        ("TryCatch", 2, 4),
        (r#"TryCatch catch_on_halt="true""#, 2, 4),
    ],
    decorators: &[
        "KeepRunningUntilFailure",
        "RunOnce",
        r#"Precondition if="n &gt; 1" else="SKIPPED""#,
        r#"SkipUnlessUpdated entry="{n}""#,
        r#"WaitValueUpdate entry="n""#,
        "Inverter",
        "ForceSuccess",
        "ForceFailure",
        r#"RetryUntilSuccessful num_attempts="3""#,
        r#"Repeat num_cycles="3""#,
        r#"Timeout msec="70""#,
        r#"Delay delay_msec="30""#,
    ],
    guards: &[
        ("_skipIf", "n == 1"),
        ("_failureIf", "n == 2"),
        ("_while", "n != 3"),
        ("_post", "m := n"),
        ("_onHalted", "h := n"),
    ],
    guarded: 0.2,
    guards_max: 1,
    uses: &[r#"_autoremap="true""#],
    filler: "<ping/>",
};
/// Without the leaves that are asked again only when something happened to them.
static QUIET: Words = Words { leaves: TOOLS.leaves.split_at(12).0, ..TOOLS };

/// One input. An outcome is that of one of the calls that were made, the `place`-th from the last.
#[derive(Clone, Debug)]
enum Deed {
    Line(String),
    Outcome { kind: &'static str, place: usize, output: &'static str },
}

fn any_deed() -> impl Strategy<Value = Deed> {
    let outcome = (
        prop::sample::select(vec!["result", "result", "artifact", "failure", "timeout", "denied"]),
        0..4_usize,
        prop::sample::select(vec![r#"{"hits": [1]}"#, r#"{"hits": []}"#, "3", "null"]),
    );
    prop_oneof![
        6 => outcome.prop_map(|(kind, place, output)| Deed::Outcome { kind, place, output }),
        3 => (0..80_u64).prop_map(|ms| Deed::Line(format!("wait {ms}"))),
        3 => (0..5_u64).prop_map(|n| Deed::Line(format!("set n {n}"))),
        2 => Just(Deed::Line("tick".to_owned())),
        1 => Just(Deed::Line("unset tool".to_owned())),
        1 => Just(Deed::Line("halt".to_owned())),
    ]
}

/// Runs a script; answers every line that came out.
fn run(xml: &str, deeds: &[Deed], mode: Mode) -> (Rig, Vec<String>) {
    let mut rig = Rig::new(load(xml).expect("random trees load"), mode);
    let mut lines = Vec::new();
    for line in ["set n 0", r#"set r "a""#, r#"set tool "ping""#, "tick"] {
        lines.extend(perform(&mut rig, line));
    }
    for deed in deeds {
        lines.extend(match deed {
            Deed::Line(line) => perform(&mut rig, line),
            Deed::Outcome { kind, place, output } => {
                let call = (rig.calls.len() as u64).saturating_sub(*place as u64);
                let outcome = outcome(&rig, kind, call, output);
                rig.handle(Input::Outcome(outcome.into()))
            }
        });
    }
    (rig, lines)
}

/// The lines that tell of more than a visit.
fn effects(lines: &[String]) -> Vec<&String> {
    const EFFECTS: [&str; 6] = [" writes ", " calls ", " takes ", " stops ", " stopped ", " halted"];
    lines.iter().filter(|line| EFFECTS.iter().any(|effect| line.contains(effect))).collect()
}

/// How a run stands: the statuses of its nodes, and what it has come to.
fn stand(rig: &Rig) -> (Vec<Status>, Option<String>) {
    let tree = rig.engine.tree();
    (tree.ids().map(|id| rig.engine.status(id)).collect(), rig.verdict())
}

/// Random trees when nobody asks for more.
const CASES: u32 = 200;

proptest! {
    #![proptest_config(fuzz::config(CASES))]

    /// A tick that passes by what is running and to which nothing happened comes to the same as one that
    /// visits everything: the same writes, calls and halts, and everything stands as it would.
    #[test]
    fn what_is_passed_by_would_have_done_nothing(
        xml in any_file(&QUIET, 4),
        deeds in prop::collection::vec(any_deed(), 0..24),
    ) {
        // Two children of a ReactiveSequence that yield do not load.
        prop_assume!(load(&xml).is_ok());
        for end in 0..=deeds.len() {
            let (sparse, lines) = run(&xml, &deeds[..end], Mode::Whole);
            let (thorough, all_lines) = run(&xml, &deeds[..end], Mode::Thorough);
            prop_assert_eq!(effects(&lines), effects(&all_lines), "{} after {:?}", xml, &deeds[..end]);
            prop_assert_eq!(stand(&sparse), stand(&thorough), "{} after {:?}", xml, &deeds[..end]);
        }
    }

    /// The same inputs give the same events, however the engine is driven; and a run that was
    /// halted is at rest, its calls waited for.
    #[test]
    fn the_same_inputs_give_the_same_events(xml in any_file(&TOOLS, 4), deeds in prop::collection::vec(any_deed(), 0..24)) {
        prop_assume!(load(&xml).is_ok());
        let (mut rig, lines) = run(&xml, &deeds, Mode::Whole);
        for mode in MODES {
            let (_, again) = run(&xml, &deeds, mode);
            prop_assert_eq!(&again, &lines, "{:?} of {}", mode, xml);
        }
        rig.handle(Input::Halt);
        let tree = rig.engine.tree().clone();
        prop_assert!(tree.ids().all(|id| rig.engine.status(id) == Status::Idle));
        prop_assert_eq!(rig.engine.next_deadline(), None);
        let calls: Vec<_> = rig.engine.calls_in_flight().map(|(call, _)| call.0).collect();
        for call in calls {
            prop_assert!(!rig.engine.is_finished());
            let outcome = outcome(&rig, "failure", call, "stopped");
            rig.handle(Input::Outcome(outcome.into()));
        }
        prop_assert!(rig.engine.is_finished());
    }
}
