//! The expression language: rows of text and answer, and what holds for every text.
//!
//! Rows stand in `tests/data/expr/*.expr` and in the fenced `expr` blocks of the reference,
//! `src/docs/expressions.md`. A row is `text → answer`, where the answer is
//!
//! - a JSON value: what the text evaluates to, kinds told apart (`3` is not `3.0`);
//! - `error: words`, `fault: words`, `check: words`: what is told when it runs, is read, is
//!   checked as a condition, the given words in it;
//! - `test: true` or `test: false`: what a script is as a condition;
//! - `check: none`: nothing is told;
//! - in a predicate `true`, `false` or `false: the whole explanation`.
//!
//! Lines that begin with `:` set the scene: `:script`, `:predicate`, `:given name = json`,
//! `:enum NAME 2`. Lines that begin with `#` are comments.

#![expect(clippy::panic, reason = "a failing row must say which row it is")]

use std::collections::HashMap;
use std::sync::Arc;

use helve::expr::{Assign, Dialect, Env, Fault, NameId, Program, parse};
use helve::limits::{EXPR_BYTES_MAX, EXPR_DEPTH_MAX};
use helve::value::{Type, Value};
use proptest::prelude::*;

#[path = "rig/fuzz.rs"]
mod fuzz;

/// A small blackboard with the rules of the dialect: the first write fixes an entry's kind.
#[derive(Clone, Debug, Default)]
struct Board {
    names: Vec<Arc<str>>,
    entries: HashMap<String, Value>,
    enums: HashMap<String, i64>,
}

impl Board {
    fn serving(&self, program: &Program) -> Self {
        let names = program.names().iter().map(|name| name.text.clone()).collect();
        Self { names, ..self.clone() }
    }
}

impl Env for Board {
    fn read(&self, name: NameId) -> Option<&Value> {
        self.entries.get(&*self.names[name.index()])
    }

    fn write(&mut self, name: NameId, value: Value, mode: Assign) -> Result<(), String> {
        let name = self.names[name.index()].to_string();
        let value = match (self.entries.get(&name), value) {
            (None, _) if mode == Assign::Existing => return Err(format!("there is no entry `{name}`")),
            (None, value) => value,
            (Some(Value::Int(_)), Value::Real(real)) if real.fract() == 0.0 => Value::Int(real as i64),
            (Some(Value::Int(_)), Value::Real(_)) => return Err("an integer entry takes no fraction".into()),
            (Some(Value::Int(_) | Value::Real(_)), Value::Text(text)) => {
                Value::Real(text.parse().map_err(|_| "not a number")?)
            }
            (Some(Value::Text(_)), Value::Int(_) | Value::Real(_)) => {
                return Err("a text entry takes no number".into());
            }
            (Some(_), value) => value,
        };
        self.entries.insert(name, value);
        Ok(())
    }

    fn enum_of(&self, name: NameId) -> Option<i64> {
        self.enum_value(&self.names[name.index()])
    }

    fn enum_value(&self, text: &str) -> Option<i64> {
        self.enums.get(text).copied()
    }
}

/// Runs the rows of one text, all of them even when some fail; `place` names it in failures.
#[track_caller]
fn check_rows(place: &str, rows: &str) -> usize {
    let (mut dialect, mut board, mut count) = (Dialect::Script, Board::default(), 0);
    let mut failed = 0;
    for (number, line) in rows.lines().enumerate() {
        let place = format!("{place}, line {}: {line}", number + 1);
        let line = line.trim();
        if let Some(scene) = line.strip_prefix(':') {
            match scene.split_once(' ').unwrap_or((scene, "")) {
                ("script", _) => dialect = Dialect::Script,
                ("predicate", _) => dialect = Dialect::Predicate,
                ("given", rest) => {
                    let (name, json) = rest.split_once(" = ").expect(&place);
                    let json: serde_json::Value = serde_json::from_str(json).expect(&place);
                    board.entries.insert(name.trim().into(), json.into());
                }
                ("enum", rest) => {
                    let (name, number) = rest.split_once(' ').expect(&place);
                    board.enums.insert(name.into(), number.parse().expect(&place));
                }
                _ => panic!("no such scene: {place}"),
            }
        } else if let Some((text, answer)) = line.rsplit_once('→') {
            let row = || check(&place, dialect, &board, text.trim(), answer.trim());
            failed += usize::from(std::panic::catch_unwind(row).is_err());
            count += 1;
        } else {
            assert!(line.is_empty() || line.starts_with('#'), "no row: {place}");
        }
    }
    assert_eq!(failed, 0, "of {count} rows of {place} so many failed");
    count
}

#[track_caller]
fn check(place: &str, dialect: Dialect, board: &Board, text: &str, answer: &str) {
    let program = match parse(text, dialect) {
        Ok(program) => program,
        Err(faults) => {
            let words = answer.strip_prefix("fault:").unwrap_or_else(|| panic!("{place}: {faults:#?}"));
            return assert!(told(&faults).contains(words.trim()), "{place}: {}", told(&faults));
        }
    };
    assert!(!answer.starts_with("fault:"), "{place}: it parses");
    round_trip(&program);
    let mut board = board.serving(&program);
    let before = board.clone();
    match answer.split_once(": ").unwrap_or((answer, "")) {
        ("error", words) => {
            let fault = program.run(&mut board).map(|value| panic!("{place}: {value:?}")).unwrap_err();
            assert!(fault.to_string().contains(words), "{place}: {fault}");
        }
        ("check", words) => {
            let found = told(&program.check_condition(|_| None));
            let expected = if words == "none" { found.is_empty() } else { found.contains(words) };
            assert!(expected, "{place}: {found}");
        }
        ("test", "error") => assert!(program.test(&mut board).is_err(), "{place}"),
        ("test", flag) => assert_eq!(program.test(&mut board), Ok(flag == "true"), "{place}"),
        ("false", words) if dialect == Dialect::Predicate => {
            assert_eq!(program.test(&mut board), Ok(false), "{place}");
            let explained = program.explain(&board);
            assert!(words.is_empty() || explained == words, "{place}: {explained}");
        }
        ("true", _) if dialect == Dialect::Predicate => {
            assert_eq!(program.test(&mut board), Ok(true), "{place}: {}", program.explain(&before));
        }
        _ => {
            let expected: serde_json::Value = serde_json::from_str(answer).expect(place);
            assert_eq!(program.run(&mut board), Ok(expected.into()), "{place}");
        }
    }
}

fn told(faults: &[Fault]) -> String {
    faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Printing and reading again gives the same program and the same text.
#[track_caller]
fn round_trip(program: &Program) {
    let printed = program.to_string();
    match parse(&printed, program.dialect()) {
        Ok(again) => {
            assert_eq!(&again, program, "printed as {printed}");
            assert_eq!(again.to_string(), printed);
        }
        Err(faults) => panic!("printed as {printed}\n{faults:#?}"),
    }
}

#[test]
fn every_row_of_the_data_files_holds() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/expr");
    let mut files: Vec<_> = std::fs::read_dir(folder).expect("the folder").flatten().collect();
    files.sort_by_key(std::fs::DirEntry::path);
    let mut count = 0;
    for file in files {
        let rows = std::fs::read_to_string(file.path()).expect("a data file");
        count += check_rows(&file.file_name().to_string_lossy(), &rows);
    }
    assert!(count > 200, "only {count} rows were found");
}

#[test]
fn every_row_of_the_reference_holds() {
    let reference = include_str!("../src/docs/expressions.md");
    let mut rows = String::new();
    let mut inside = false;
    for line in reference.lines() {
        match line.strip_prefix("```") {
            Some(fence) => inside = !inside && fence == "expr",
            None if inside => rows.push_str(line),
            None => {}
        }
        rows.push('\n');
    }
    let count = check_rows("src/docs/expressions.md", &rows);
    assert!(count > 80, "only {count} rows were found");
}

#[test]
fn a_program_tells_how_it_uses_its_names() {
    let program =
        parse("a := 1; b = a; c += 2; a := 'x'; has(d.e); @f := 1.5", Dialect::Script).expect("good");
    let used: Vec<String> = (program.names().iter())
        .map(|name| {
            let kind = name.written_kind.map_or("-", |kind| kind.as_str());
            let flags = [(name.reads, 'r'), (name.assigns, 'a'), (name.creates, 'c')];
            let flags: String = flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag).collect();
            format!("{} {flags} {kind}", name.text)
        })
        .collect();
    assert_eq!(used, ["a rc int64_t", "b a -", "c ra -", "d r -", "@f c double"]);
    assert!(!program.is_pure() && !program.depends_only_on_names());
    assert_eq!(program.names()[2].span, 15..16);
}

#[test]
fn a_fault_stands_where_the_text_is_wrong() {
    let spans = |text, dialect| match parse(text, dialect) {
        Ok(_) => panic!("{text} parses"),
        Err(faults) => faults.into_iter().map(|fault| (fault.span.start, fault.span.end)).collect::<Vec<_>>(),
    };
    assert_eq!(spans("a + (b * 2", Dialect::Script), [(4, 5)], "an open bracket is shown where it opens");
    assert_eq!(
        spans("a := ; b := ); c", Dialect::Script),
        [(2, 4), (12, 13)],
        "every statement has its fault"
    );
    assert_eq!(spans("a = 1", Dialect::Predicate), [(2, 3)]);
    assert_eq!(spans("x == 'é' && lenn(y) > 0", Dialect::Predicate), [(13, 17)]);
    assert_eq!(spans("'a", Dialect::Script), [(0, 1)]);
}

#[test]
fn types_of_names_make_more_faults_certain() {
    let told_for = |text, kind| {
        let program = parse(text, Dialect::Predicate).expect("good");
        told(&program.check(|_| Some(kind)))
    };
    assert!(told_for("title - 1 > 0", Type::Text).starts_with("cannot subtract std::string and int64_t"));
    assert!(told_for("title", Type::Text).starts_with("a text is no condition"));
    assert_eq!(told_for("title - 1 > 0", Type::Int), "");
    assert_eq!(told_for("title - 1 > 0", Type::Any), "");
    assert_eq!(told_for("title.length - 1 > 0", Type::Text), "");
    let script = parse("title - 1", Dialect::Script).expect("good");
    assert_eq!(script.check(|_| Some(Type::Text)), [], "a script finds it when it runs, as its home does");
}

#[test]
fn bounds_are_kept() {
    let kinds =
        |text: &str| parse(text, Dialect::Script).map(|_| ()).map_err(|faults| faults[0].kind.code().id());
    assert_eq!(kinds(&"a".repeat(EXPR_BYTES_MAX)), Ok(()));
    assert_eq!(kinds(&"a".repeat(EXPR_BYTES_MAX + 1)), Err("E0302"));
    for open in [
        "(",
        "-",
        "!",
        "[",
        "size(",
        "a ? b : ",
        "a ? ",
        "a := ",
        "1 + 2 * (",
        "a || b && c == 1 | 2 & 3 + 4 * -(",
    ] {
        let deep = open.repeat(EXPR_BYTES_MAX / open.len());
        assert_eq!(kinds(&deep), Err("E0303"), "{open}");
    }
    let brackets = |depth| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(kinds(&brackets(EXPR_DEPTH_MAX)), Ok(()));
    assert_eq!(kinds(&brackets(EXPR_DEPTH_MAX + 1)), Err("E0303"));
    let deepest = |open: &str, inner: &str, close: &str| {
        // A bracket with an assignment in it is two levels.
        let depth = if open.contains("(b") { EXPR_DEPTH_MAX / 2 - 1 } else { EXPR_DEPTH_MAX - 1 };
        let text = format!("{}{inner}{}", open.repeat(depth), close.repeat(depth));
        let program = parse(&text, Dialect::Script).expect("the deepest that is read");
        let mut board = Board::default().serving(&program);
        (program.run(&mut board).expect("it runs"), program.explain(&board)).0
    };
    assert_eq!(deepest("1 + (", "1", ")"), Value::Real(128.0));
    assert_eq!(deepest("!", "0", ""), Value::Real(1.0));
    assert_eq!(deepest("1 ? ", "7", " : 0"), Value::Int(7));
    assert_eq!(deepest("a := ", "7", ""), Value::Int(7));
    assert_eq!(deepest("1 == (b := ", "7", ")"), Value::Real(0.0));
    let long = vec!["x == 1"; 1500].join(" || ");
    assert_eq!(kinds(&long), Ok(()), "a long row is not a deep one");
}

#[test]
fn an_evaluation_ends_however_large_its_values_grow() {
    for (start, step) in [("a := 'x'; ", "a := a .. a; "), ("a := [1, 1]; ", "a := [a, a]; ")] {
        let program = parse(&format!("{start}{}", step.repeat(64)), Dialect::Script).expect("good");
        let fault =
            program.run(&mut Board::default().serving(&program)).expect_err("it would fill the memory");
        assert!(fault.message.contains("more than 1000000 steps"), "{fault}");
    }
}

/// Pieces that make up texts which often parse.
const PIECES: &[&str] = &[
    "a",
    "b",
    "@c",
    "a.b",
    "a[0]",
    "a[-1]",
    "b[\"odd name\"]",
    "a.b[0].c",
    "GREEN",
    "1",
    "0",
    "2.5",
    "0x1F",
    "9007199254740993",
    "1e300",
    "'x'",
    "'5'",
    "'GREEN'",
    "\"it's\"",
    "true",
    "false",
    "null",
    "[1, 'a']",
    "[a, -1]",
    "+",
    "-",
    "*",
    "/",
    "..",
    "&&",
    "||",
    "!",
    "~",
    "&",
    "|",
    "^",
    "==",
    "!=",
    "<",
    ">",
    "<=",
    ">=",
    "?",
    ":",
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    ":=",
    "=",
    "+=",
    "*=",
    "size(a)",
    "has(a.b)",
    "contains(a, b)",
    "matches(a, '^x+$')",
    "starts_with(a, b)",
    "ends_with(b, 'x')",
    "size(",
    "has(",
    "%",
    "'",
    "and",
    "é",
];

fn piece() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(PIECES)
}

fn value() -> impl Strategy<Value = Value> {
    proptest::sample::select(vec![
        Value::Null,
        Value::Bool(true),
        Value::Int(0),
        Value::Int(7),
        Value::Int(i64::MAX),
        Value::Int(i64::MIN),
        Value::Real(-0.5),
        Value::Real(f64::INFINITY),
        Value::Real(f64::NAN),
        Value::text("x"),
        Value::text("12"),
        Value::from_json(serde_json::json!({"b": [{"c": 1}, "x"], "odd name": null})),
        Value::from_json(serde_json::json!([1, "a", [2.5]])),
    ])
}

/// A literal, a name or a path.
fn leaf() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "a",
        "b",
        "@c",
        "a.b",
        "a[-1]",
        "a.b[0].c",
        "1",
        "0",
        "2.5",
        "9007199254740993",
        "'x'",
        "'5'",
        "'GREEN'",
        "null",
        "true",
        "[1, 'a']",
        "GREEN",
    ])
}

fn operator() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "+", "-", "*", "/", "..", "&&", "||", "&", "|", "^", "==", "!=", "<", ">", "<=", ">=",
    ])
}

/// An expression, drawn as a tree, so that it always parses.
fn expression() -> impl Strategy<Value = String> {
    leaf().prop_map(str::to_owned).prop_recursive(5, 40, 4, |inner| {
        let pair = (inner.clone(), operator(), inner.clone());
        prop_oneof![
            4 => pair.prop_map(|(left, sign, right)| format!("({left}) {sign} ({right})")),
            1 => inner.clone().prop_map(|it| format!("!({it})")),
            1 => inner.clone().prop_map(|it| format!("-({it})")),
            1 => inner.clone().prop_map(|it| format!("~({it})")),
            1 => inner.clone().prop_map(|it| format!("size({it})")),
            1 => inner.clone().prop_map(|it| format!("matches({it}, 'x|1')")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("contains({a}, {b})")),
            1 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, {b}]")),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("({a}) ? ({b}) : ({c})")),
        ]
    })
}

fn board() -> impl Strategy<Value = Board> {
    proptest::collection::hash_map(proptest::sample::select(vec!["a", "b", "@c", "GREEN"]), value(), 0..4)
        .prop_map(|entries| {
            let entries = entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
            Board { entries, enums: HashMap::from([("GREEN".to_owned(), 2)]), ..Board::default() }
        })
}

/// Reads a text both ways and does everything that can be done with what parses.
fn exercise(text: &str, board: &Board) {
    for dialect in [Dialect::Script, Dialect::Predicate] {
        let program = match parse(text, dialect) {
            Ok(program) => program,
            Err(faults) => {
                for fault in faults {
                    assert!(text.get(fault.span.clone()).is_some(), "{text:?}: {fault:?}");
                }
                continue;
            }
        };
        round_trip(&program);
        program.check_condition(|_| None);
        let mut board = board.serving(&program);
        certain_faults_are_met(&program, &board);
        running_for_effect_does_the_same(&program, &board);
        let before = board.entries.clone();
        let (tested, explained) = (program.test(&mut board), program.explain(&board));
        let ran = program.run(&mut board);
        if program.is_pure() {
            assert_eq!(shown(&board.entries), shown(&before), "{text}");
        }
        if dialect == Dialect::Predicate {
            assert!(tested.is_ok() && ran.is_ok(), "{text}: {tested:?} {ran:?}");
            assert!(explained.len() < 64 << 10, "{text}");
        }
    }
}

/// Entries in order, to be compared as text: a NaN equals nothing.
fn shown(entries: &HashMap<String, Value>) -> String {
    format!("{:?}", std::collections::BTreeMap::from_iter(entries))
}

/// Whoever runs a program without asking for its value gets the same entries and the same fault.
fn running_for_effect_does_the_same(program: &Program, board: &Board) {
    let (mut one, mut other) = (board.clone(), board.clone());
    let (ran, executed) = (program.run(&mut one).map(drop), program.execute(&mut other));
    assert_eq!(executed, ran, "{}", program.text());
    assert_eq!(shown(&other.entries), shown(&one.entries), "{}", program.text());
}

/// Everything that can be seen of a program's run and of its test, spans and words of faults aside.
fn outcome(text: &str, dialect: Dialect, board: &Board) -> String {
    let program = parse(text, dialect).unwrap_or_else(|faults| panic!("{text}: {faults:?}"));
    let (mut one, mut other) = (board.serving(&program), board.serving(&program));
    let (ran, tested) = (program.run(&mut one).ok(), program.test(&mut other).ok());
    format!("{ran:?} {tested:?} {} {}", shown(&one.entries), shown(&other.entries))
}

/// What the check says never works does not work, as long as nothing assigns and the types stay.
fn certain_faults_are_met(program: &Program, board: &Board) {
    if !program.is_pure() || program.dialect() == Dialect::Predicate {
        return;
    }
    let mut board = board.clone();
    let kind_of = |name: NameId| match board.enum_value(&program.name(name).text) {
        Some(_) => Some(Type::Real),
        None => board.read(name).map(Value::kind).filter(|kind| *kind != Type::Json),
    };
    let value = [program.check(kind_of), program.doubts(false, kind_of)].concat();
    let condition = [program.check_condition(kind_of), program.doubts(true, kind_of)].concat();
    let text = program.text();
    assert!(value.is_empty() || program.run(&mut board).is_err(), "{text}: {value:?}");
    assert!(condition.is_empty() || program.test(&mut board).is_err(), "{text}: {condition:?}");
}

/// Cases when nobody asks for more.
const CASES: u32 = 256;

proptest! {
    #![proptest_config(fuzz::config(CASES))]

    #[test]
    fn no_text_crashes_the_parser(text in any::<String>(), board in board()) {
        exercise(&text, &board);
    }

    #[test]
    fn no_bytes_crash_the_parser(bytes in proptest::collection::vec(0x20u8..0x7f, 0..80), board in board()) {
        exercise(&String::from_utf8_lossy(&bytes), &board);
    }

    #[test]
    fn no_row_of_pieces_crashes_anything(
        pieces in proptest::collection::vec(piece(), 0..14),
        blank in proptest::sample::select(vec![" ", "", "\n\t"]),
        board in board(),
    ) {
        exercise(&pieces.join(blank), &board);
    }

    #[test]
    fn no_depth_crashes_anything(
        (before, after) in (piece(), piece()),
        times in 0..EXPR_DEPTH_MAX * 3,
        inside in expression(),
        board in board(),
    ) {
        exercise(&[before.repeat(times), inside, after.repeat(times)].concat(), &board);
    }

    /// Integers, numbers and texts that stand alone take shorter ways through the evaluator than
    /// what must be evaluated first. An operand in a choice takes the long one.
    #[test]
    fn operands_that_stand_alone_give_what_others_give(
        left in leaf(),
        right in leaf(),
        sign in operator(),
        assigner in proptest::sample::select(vec![":=", "=", "+=", "-=", "*=", "/="]),
        board in board(),
    ) {
        let long = |operand: &str| format!("(true ? {operand} : 0)");
        let pair = |left: &str, right: &str| format!("{left} {sign} {right}");
        let (short, other) = (pair(left, right), pair(&long(left), &long(right)));
        for dialect in [Dialect::Script, Dialect::Predicate] {
            prop_assert_eq!(outcome(&short, dialect, &board), outcome(&other, dialect, &board), "{}", short);
        }
        let assigned = |value: &str| format!("a {assigner} {value}");
        for (short, other) in [(short, other), (right.to_owned(), long(right))] {
            let (short, other) = (assigned(&short), assigned(&other));
            let (one, two) = (outcome(&short, Dialect::Script, &board), outcome(&other, Dialect::Script, &board));
            prop_assert_eq!(one, two, "{}", short);
        }
    }

    #[test]
    fn every_expression_prints_to_itself_and_predicates_always_answer(text in expression(), board in board()) {
        prop_assume!(text.len() < EXPR_BYTES_MAX);
        prop_assert!(parse(&text, Dialect::Predicate).is_ok(), "{text}");
        exercise(&text, &board);
    }
}
