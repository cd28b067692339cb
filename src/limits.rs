//! Every bound of the crate: its name, its unit in the name, its default, and why.
//!
//! A bound that a user may change has its default here and its place in the options of the stage
//! that it bounds.

use std::time::Duration;

/// Largest XML text, in bytes. A tree of a million nodes takes about 60 MB.
pub const XML_BYTES_MAX: usize = 256 << 20;
/// Deepest nesting of XML elements that is read.
pub const XML_DEPTH_MAX: usize = 150_000;
/// Most elements in one document.
pub const XML_ELEMENTS_MAX: usize = 4_000_000;
/// Most attributes on one element.
pub const XML_ATTRIBUTES_MAX: usize = 256;
/// Longest attribute value, in bytes.
pub const XML_VALUE_BYTES_MAX: usize = 1 << 20;
/// Longest run of text between tags, in bytes.
pub const XML_TEXT_BYTES_MAX: usize = 1 << 20;
/// Most errors found in one XML text before reading stops. Each may make the reader look at the
/// rest of the text once more, so this also bounds the work that a hostile file can cause.
pub const XML_ERRORS_MAX: usize = 100;
/// Most warnings of one code found in one XML text; the last one says how many more there are.
pub const XML_WARNINGS_OF_A_CODE_MAX: usize = 16;
/// How far the reader looks ahead, in tags, to tell a stray end tag from a wrong one.
pub const XML_LOOK_AHEAD_TAGS_MAX: usize = 64;

/// The margin of the canonical form, in columns: a wider start tag is written on several lines.
pub const XML_LINE_COLUMNS: usize = 110;
/// How far one level stands in in the canonical form, in blanks.
pub const XML_INDENT_BLANKS: usize = 2;
/// Levels that stand in at all in the canonical form; deeper ones stand where the last of these does,
/// so that the length of a text grows with its elements and not with their square.
pub const XML_INDENT_LEVELS_MAX: usize = 50;
/// Longest element name, in characters, that attributes on lines of their own stand below.
pub const XML_HANGING_NAME_CHARS_MAX: usize = 40;
const _: () = assert!(XML_INDENT_LEVELS_MAX * XML_INDENT_BLANKS <= XML_LINE_COLUMNS);

/// How long `helve fmt --check` looks for the smallest difference before it takes a larger one.
pub const FMT_DIFF_TIME_MAX: Duration = Duration::from_secs(2);

/// Most diagnostics kept for one text; further ones are counted and not kept.
pub const DIAGNOSTICS_MAX: usize = 200;

/// Longest expression, in bytes.
pub const EXPR_BYTES_MAX: usize = 16 << 10;
/// Deepest nesting of an expression.
pub const EXPR_DEPTH_MAX: usize = 128;
/// Most steps of one evaluation: nodes of the syntax tree, items of values, and every
/// [`EXPR_BYTES_PER_STEP`] bytes of texts.
pub const EXPR_STEPS_MAX: u64 = 1_000_000;
/// Bytes of texts that an expression may look at or copy for one step: that runs at memory speed,
/// and the largest tool output must not exhaust a predicate that searches it.
pub const EXPR_BYTES_PER_STEP: usize = 128;
/// Evaluations whose steps one explanation of a predicate may take: it asks its parts again.
pub const EXPR_EXPLAIN_EVALUATIONS_MAX: u64 = 8;
/// Largest compiled form of a pattern of `matches`, in bytes.
pub const EXPR_PATTERN_BYTES_MAX: usize = 1 << 20;
/// Most characters of a value that an explanation shows.
pub const EXPR_SHOWN_CHARS_MAX: usize = 60;
/// Most steps of a path into a JSON value.
pub const JSON_PATH_STEPS_MAX: usize = 64;

/// Most nodes of a compiled tree, subtrees expanded.
pub const TREE_NODES_MAX: usize = 4_000_000;
/// Deepest compiled tree, subtrees expanded.
pub const TREE_DEPTH_MAX: usize = 1_000_000;
/// Deepest nesting of subtree instances.
pub const SUBTREE_DEPTH_MAX: usize = 1_000;

/// Most ticks that one input may cause before the engine asks to be woken again. It lets a
/// control command in between the rounds of an endless `Repeat`.
pub const TICKS_PER_INPUT_MAX: u32 = 1_000;
/// How long a node that goes on without waiting for anything in particular leaves the processor to
/// others: the loop period of the dialect's reference (`tickWhileRunning`).
pub const PULSE: Duration = Duration::from_millis(10);
/// Most ticks within one [`PULSE`] that a tree gets at once for writing keys which it waits for itself. One
/// that does so without end goes on, but leaves most of a processor to others.
pub const HANDOVERS_PER_PULSE_MAX: u32 = 100;
/// Most items of a list that a tree goes through, one by one or at once.
pub const ITEMS_MAX: usize = 100_000;
/// Most items of a `ForEach` that are under way at once. Its child is compiled as often.
pub const FOR_EACH_LANES_MAX: u32 = 64;
/// Most ticks of one run by default; a run that reaches it ends with an error that says so.
pub const TICKS_PER_RUN_MAX: u64 = 100_000_000;
/// Most calls of one run that are under way at once; a leaf that would start one more waits.
pub const CALLS_IN_FLIGHT_MAX: usize = 16_384;
/// How deep clean-up may be nested: a `TryCatch` that is halted while another one's clean-up is
/// halted. It is the one place where a tree takes machine stack, about 1 kB a level.
pub const HALTS_NESTED_MAX: u32 = 64;
/// Most blackboard keys that may be added to a running tree from outside.
pub const LATE_KEYS_MAX: usize = 10_000;

/// A tool's bound on one call when its manifest names none.
pub const TOOL_TIMEOUT_DEFAULT: Duration = Duration::from_secs(30);
/// The cap on any one call's deadline.
pub const TOOL_TIMEOUT_CAP: Duration = Duration::from_secs(45);
/// The least time a started call gets, however little of the turn is left.
pub const TOOL_TIMEOUT_MIN: Duration = Duration::from_secs(5);
/// How long a call that was cancelled or is overdue may take to end by itself before it is abandoned
/// behind its dead lease. Its outcome waits for that, so it comes by deadline and this.
pub const STOP_GRACE: Duration = Duration::from_millis(500);
/// Most characters of an artifact's summary.
pub const ARTIFACT_SUMMARY_CHARS_MAX: usize = 200;
/// Serialized tool output above this many characters becomes an artifact.
pub const OUTPUT_INLINE_CHARS_MAX: usize = 12_000;
/// Largest tool output that is kept at all, serialized, in bytes.
pub const OUTPUT_BYTES_MAX: usize = 64 << 20;

/// Events that a slow watcher may fall behind before the oldest are dropped, and counted. Who must
/// not lose any is an observer in the loop.
pub const EVENT_BACKLOG_MAX: usize = 8_192;
/// Control commands that may wait for a busy run.
pub const CONTROL_BACKLOG_MAX: usize = 64;

/// Largest note that is read or written, in bytes.
pub const NOTE_BYTES_MAX: usize = 4 << 20;
/// Largest front matter that is parsed, in bytes.
pub const FRONT_MATTER_BYTES_MAX: usize = 64 << 10;
/// Most notes of one vault folder that are searched.
pub const NOTES_INDEXED_MAX: usize = 50_000;
/// Most bytes of notes of one vault folder that are searched; the index in memory takes about twice that.
pub const NOTES_INDEXED_BYTES_MAX: u64 = 64 << 20;
/// Notes that go into the index in one transaction: what a search that runs out of time keeps.
pub const NOTES_INDEXED_AT_ONCE: usize = 256;
/// Indexes that one vault keeps, one a project folder that was searched.
pub const VAULT_INDEXES_MAX: usize = 8;
/// Most notes that one `vault_list` shows.
pub const VAULT_LIST_MAX: usize = 1_000;
/// Results of one `vault_search` that names no limit.
pub const VAULT_RESULTS_DEFAULT: usize = 10;
/// Most results of one `vault_search`.
pub const VAULT_RESULTS_MAX: usize = 100;
/// Most words and phrases of one `vault_search`; further ones are left out.
pub const VAULT_QUERY_TERMS_MAX: usize = 32;
/// Reads that a vault remembers to tell a note that changed; the oldest are forgotten first.
pub const VAULT_READS_MAX: usize = 10_000;
/// Most notes that a misspelt path is compared with.
pub const VAULT_GUESSES_MAX: usize = 2_000;

/// Most entries that one walk through a root folder looks at.
pub const ROOT_ENTRIES_MAX: usize = 500_000;
/// Deepest nesting of folders that a walk through a root goes into.
pub const ROOT_DEPTH_MAX: usize = 64;
/// Temporary names tried before a write gives up.
pub const TEMPORARY_NAMES_MAX: usize = 100;

const _: () = assert!(TOOL_TIMEOUT_MIN.as_millis() <= TOOL_TIMEOUT_DEFAULT.as_millis());
const _: () = assert!(TOOL_TIMEOUT_DEFAULT.as_millis() <= TOOL_TIMEOUT_CAP.as_millis());
const _: () = assert!(XML_ERRORS_MAX + 6 * XML_WARNINGS_OF_A_CODE_MAX < DIAGNOSTICS_MAX);
const _: () = assert!(XML_BYTES_MAX < u32::MAX as usize);
const _: () = assert!(TREE_NODES_MAX < u32::MAX as usize);

/// Most faults of one call's arguments that a denial names; further ones are counted.
pub const ARGUMENT_FAULTS_MAX: usize = 20;
/// Most characters of a refused argument that a denial repeats: enough to recognise it, and
/// little of a secret that stood in the wrong place.
pub const ARGUMENT_SHOWN_CHARS_MAX: usize = 40;
/// Most arguments that the hint of a denial lists.
pub const ARGUMENT_HINTS_MAX: usize = 24;
/// Deepest nesting of a call's arguments and of a tool's output. It is what `serde_json` reads, so
/// that everything that passes can be written and read back, and no walk overflows the stack.
pub const JSON_DEPTH_MAX: usize = 127;
/// Deepest walk down a JSON Schema, references counted: a schema may refer to itself.
pub const SCHEMA_DEPTH_MAX: usize = 256;
/// Most steps from a schema to a part of it (`allOf`, `anyOf`, `oneOf`) for one value.
pub const SCHEMA_ASIDE_MAX: usize = 8;
/// How long the end of a call waits for an effect that has begun under its lease. An effect is a
/// rename or a statement; one that takes longer is a fault of the tool and is reported.
pub const EFFECT_GRACE: Duration = Duration::from_secs(2);

const _: () = assert!(SCHEMA_DEPTH_MAX > JSON_DEPTH_MAX);
const _: () = assert!((OUTPUT_BYTES_MAX / EXPR_BYTES_PER_STEP) as u64 <= EXPR_STEPS_MAX);
const _: () = assert!(EXPR_BYTES_MAX as u64 <= EXPR_STEPS_MAX);
const _: () = assert!(VAULT_RESULTS_DEFAULT <= VAULT_RESULTS_MAX);
const _: () = assert!(NOTE_BYTES_MAX as u64 <= NOTES_INDEXED_BYTES_MAX);

/// Most bytes of inputs and events that one recording takes; then it stops and says so, and the run
/// goes on. Days of a busy tree, and less than a disk that a forgotten run could fill.
pub const JOURNAL_BYTES_MAX: u64 = 4 << 30;
/// Deepest nesting of one recorded line: the deepest output that a call may leave, and what the
/// journal wraps around it.
pub const JOURNAL_DEPTH_MAX: usize = JSON_DEPTH_MAX + 8;
/// How long a recording waits for another process that locks its file. It is waited in the run's
/// own loop, so it is short; nobody but a reader of the end of a run is expected there.
pub const JOURNAL_LOCK_WAIT: Duration = Duration::from_millis(250);
/// Most characters of an event that a report of a difference shows, from shortly before the place
/// where the two part.
pub const DIFFERENCE_SHOWN_CHARS_MAX: usize = 240;

const _: () = assert!(JOURNAL_BYTES_MAX > OUTPUT_BYTES_MAX as u64);

// The code tools.

/// Largest file that the code tools read, in bytes. What is larger is generated or data.
pub const CODE_FILE_BYTES_MAX: u64 = 1 << 20;
/// Most files of a repository that the code tools look at; further ones are counted.
pub const CODE_FILES_MAX: usize = 20_000;
/// The time that parsing one file may take. A mebibyte of ordinary code takes about 0.2 s.
pub const CODE_PARSE_TIME_MAX: Duration = Duration::from_secs(2);
/// Most matches of a tag query that tree-sitter tracks at once; beyond it drops the oldest.
pub const CODE_QUERY_MATCHES_MAX: u32 = 4_096;
/// Deepest nesting of Rust macros whose items are parsed.
pub const CODE_MACRO_DEPTH_MAX: usize = 4;
/// Memory that the parsed files of one repository may take, in bytes.
pub const CODE_CACHE_BYTES_MAX: usize = 96 << 20;
/// Most threads that one call of a code tool uses.
pub const CODE_THREADS_MAX: usize = 16;
/// Longest query of a code search, in characters.
pub const CODE_QUERY_CHARS_MAX: usize = 1_000;
/// Longest symbol that is looked up, in characters.
pub const CODE_SYMBOL_CHARS_MAX: usize = 300;
/// Largest compiled regular expression of a code search, in bytes; also its lazy automaton.
pub const CODE_REGEX_BYTES_MAX: usize = 4 << 20;
/// Longest line in a result of a code tool, in characters.
pub const CODE_LINE_CHARS_MAX: usize = 240;
/// Longest signature of a definition, in characters.
pub const CODE_SIGNATURE_CHARS_MAX: usize = 200;
/// Longest documentation of a definition, in characters.
pub const CODE_DOC_CHARS_MAX: usize = 600;
/// Most results that one call of a code tool may ask for.
pub const CODE_RESULTS_MAX: usize = 200;
/// Results of a code search when the call does not say how many.
pub const CODE_SEARCH_RESULTS_DEFAULT: usize = 20;
/// References when the call does not say how many.
pub const CODE_REFERENCES_DEFAULT: usize = 50;
/// Most matching lines of one file that a code search ranks; further ones are counted.
pub const CODE_FILE_MATCHES_MAX: usize = 100;
/// Most files that a code search parses to find out which matches are definitions.
pub const CODE_SEARCH_PARSED_MAX: usize = 1_000;
/// Further candidates that a definition is listed with.
pub const CODE_OTHERS_MAX: usize = 10;
/// Near names that a symbol without a match is answered with.
pub const CODE_SUGGESTIONS_MAX: usize = 5;
/// Tokens of a repository map when the call does not say how many.
pub const CODE_MAP_TOKENS_DEFAULT: usize = 1_024;
/// Most tokens of a repository map.
pub const CODE_MAP_TOKENS_MAX: usize = 32_768;
/// Most definitions of one file in a repository map, so that one large file does not fill it.
pub const CODE_MAP_FILE_SYMBOLS_MAX: usize = 40;

// Includes.

/// Longest chain of includes, from the main text on. The order of loading is hard to follow for a
/// person long before.
pub const INCLUDE_DEPTH_MAX: usize = 64;
/// Most texts of one tree, the main one included.
pub const INCLUDE_FILES_MAX: usize = 1_000;
/// Most `<include>` elements in all texts of one tree.
pub const INCLUDE_ELEMENTS_MAX: usize = 10_000;
/// Most bytes of all texts of one tree: as much as one text alone may have.
pub const INCLUDE_BYTES_MAX: usize = XML_BYTES_MAX;
/// Most names of a folder that a path to nowhere is compared with.
pub const INCLUDE_SIBLINGS_MAX: usize = 1_000;

// Conformance.

/// Most ticks of one conformance case, and most ticks in a row that one of them may ask for.
pub const CONFORMANCE_TICKS_MAX: u64 = 100_000;

// Commands.

/// Most files of a folder that are looked at for the one that a mistyped path meant.
pub const NEIGHBOURS_MAX: usize = 1_000;

// The executor and its turns.

/// Most items of a list, and of a list named `entries`, that a model sees of an output.
pub const SHOWN_ITEMS_MAX: usize = 200;
/// Most characters of a text that a model sees of an output.
pub const SHOWN_CHARS_MAX: usize = 3_000;
/// Most keys of an object that a model sees of an output.
pub const SHOWN_KEYS_MAX: usize = 80;
/// Deepest nesting of lists and objects that a model sees of an output.
pub const SHOWN_DEPTH_MAX: usize = 4;
/// Most cuts that an output names one by one; further ones are counted.
pub const SHOWN_CUTS_MAX: usize = 20;
/// How often one call may end the same way in a turn before the next such call is denied: above
/// the handful of tries that people write down, and far below what a runaway loop does in a minute.
pub const REPEATS_MAX: u32 = 20;
/// Calls that a turn remembers, by tool and arguments, to tell a repetition; the oldest are
/// forgotten first. About 400 kB.
pub const TURN_CALLS_REMEMBERED_MAX: usize = 4_096;
/// Results that a turn keeps a short record of; the oldest are forgotten first.
pub const TURN_RECORDS_MAX: usize = 1_024;
/// Most characters of an error in the record of a result.
pub const RECORD_ERROR_CHARS_MAX: usize = 200;
/// Most calls of one turn that are under way at once.
pub const TURN_CALLS_IN_FLIGHT_MAX: usize = CALLS_IN_FLIGHT_MAX;
/// Calls of tools by tools that begin on one stack; the next one gets a task of its own.
pub const CALLS_IN_PLACE_DEPTH_MAX: usize = 8;
/// Most pieces of blocking work that run at once. tokio's own pool has 512 threads, and work that
/// hangs keeps its thread: the rest of the pool stays free for everybody else.
pub const BLOCKING_CALLS_MAX: usize = 256;
/// Most bytes of artifacts that are kept in memory.
pub const ARTIFACTS_BYTES_MAX: usize = 256 << 20;
/// Most artifacts that are kept in memory.
pub const ARTIFACTS_MAX: usize = 4_096;
/// How long the storing of a large output may take before the call goes on without it.
pub const ARTIFACT_STORE_TIME_MAX: Duration = Duration::from_secs(2);

const _: () = assert!(ARTIFACT_SUMMARY_CHARS_MAX < OUTPUT_INLINE_CHARS_MAX);
const _: () = assert!(OUTPUT_BYTES_MAX <= ARTIFACTS_BYTES_MAX);
const _: () = assert!(SHOWN_DEPTH_MAX < JSON_DEPTH_MAX);

// Processes as tools.

/// Private memory that a process may write to when its manifest names none, in mebibytes.
pub const PROCESS_MEMORY_MB: u64 = 1_024;
/// Processes that a program may have at once when its manifest names no number.
pub const PROCESS_PROCESSES: u64 = 64;
/// The span in which a program may use its share of the processors, in microseconds.
pub const CPU_PERIOD_US: u64 = 100_000;
/// How often the removal of a control group is tried, a millisecond apart.
pub const CAGE_REMOVALS_MAX: usize = 200;
/// Files that a process may hold open when its manifest names no number.
pub const PROCESS_OPEN_FILES: u64 = 256;
/// Largest file that a process may write when its manifest names none, in mebibytes.
pub const PROCESS_FILE_SIZE_MB: u64 = 1_024;
/// What the watchdog of the processes may be behind with, in bytes, besides its full pipe: some
/// thousand lines. One that is further behind was stopped by somebody, and is replaced.
pub const WATCHDOG_UNSAID_BYTES_MAX: usize = 1 << 20;
/// Time between SIGTERM and SIGKILL when a manifest names none. It is shorter than [`STOP_GRACE`]:
/// of a cancelled call nothing is alive when its outcome is told.
pub const PROCESS_STOP_GRACE: Duration = Duration::from_millis(300);
/// Longest time between SIGTERM and SIGKILL that a manifest may ask for.
pub const PROCESS_STOP_GRACE_MAX: Duration = Duration::from_secs(30);
/// How long the system may take to end a process after SIGKILL before it is given up and reported.
pub const PROCESS_KILL_WAIT: Duration = Duration::from_secs(5);
/// Most rounds in which what a process has left behind is killed: each finds what was started during
/// the one before.
pub const PROCESS_SWEEPS_MAX: usize = 64;
/// How long one round waits for the end of what it has killed, each. Below a second.
pub const PROCESS_SWEEP_WAIT: Duration = Duration::from_millis(100);
/// Most bytes that a process may print when its manifest names no number.
pub const PROCESS_OUTPUT_BYTES: usize = 16 << 20;
/// Longest line of events that a process may print when its manifest names no length, in bytes.
pub const PROCESS_LINE_BYTES: usize = 4 << 20;
/// Most events of one call that are passed on; further ones are counted.
pub const PROCESS_EVENTS_MAX: usize = 10_000;
/// The end of what a process prints to its standard error that is kept, in bytes.
pub const PROCESS_LOG_BYTES: usize = 4 << 10;
/// Most characters of that log which an error repeats.
pub const PROCESS_LOG_SHOWN_CHARS_MAX: usize = 600;
/// Most characters of a line that is no event, or of an output that is no JSON, which an error repeats.
pub const PROCESS_SHOWN_CHARS_MAX: usize = 80;
/// How long the pipes of a process that has ended are read further. What it has left behind was
/// killed, so they end at once, unless something that nobody found holds them.
pub const PROCESS_DRAIN_MAX: Duration = Duration::from_secs(1);
/// Shortest secret, in bytes: what is shorter cannot be hidden without hiding half of an output.
pub const SECRET_BYTES_MIN: usize = 4;
/// Largest manifest of a tool, in bytes.
pub const MANIFEST_BYTES_MAX: usize = 1 << 20;
/// Most manifests in one folder.
pub const MANIFESTS_MAX: usize = 1_000;
/// Most faults of a result against its schema that an error names.
pub const RESULT_FAULTS_MAX: usize = 5;

const _: () = assert!(PROCESS_OUTPUT_BYTES <= OUTPUT_BYTES_MAX);
const _: () = assert!(PROCESS_LINE_BYTES <= PROCESS_OUTPUT_BYTES);
const _: () = assert!(PROCESS_LOG_SHOWN_CHARS_MAX <= PROCESS_LOG_BYTES);
const _: () = assert!(PROCESS_STOP_GRACE.as_millis() < STOP_GRACE.as_millis());
const _: () = assert!(PROCESS_SWEEP_WAIT.as_secs() == 0);

// The service face.

/// Calls of one agent that run at once when nobody says how many.
pub const SERVICE_AGENT_CALLS: usize = 4;
/// Calls of all agents that run at once when nobody says how many.
pub const SERVICE_CALLS: usize = 256;
/// Calls of one agent that wait for a place when nobody says how many.
pub const SERVICE_AGENT_QUEUE: usize = 64;
/// Calls of all agents that wait for a place when nobody says how many.
pub const SERVICE_QUEUE: usize = 1_024;
/// How long a call waits for a place when nobody says how long.
pub const SERVICE_QUEUE_WAIT: Duration = Duration::from_secs(60);
/// Admissions that outweigh one step of priority: a call that waits is overtaken by those that come
/// later only for so many admissions a step.
pub const SERVICE_AGING_ADMISSIONS: u64 = 4;
/// The lowest priority and the highest.
pub const SERVICE_PRIORITY_MIN: u8 = 1;
/// The highest priority.
pub const SERVICE_PRIORITY_MAX: u8 = 10;
/// The priority of a call that names none.
pub const SERVICE_PRIORITY: u8 = 5;
/// The share of the processors of a call for which nobody names one, in thousandths of one.
pub const SERVICE_CPU_MILLICORES: u64 = 500;
/// Memory of a call for which nobody names any, in mebibytes.
pub const SERVICE_MEMORY_MB: u64 = 1_024;
/// Time of a call for which nobody names any.
pub const SERVICE_TIMEOUT: Duration = Duration::from_secs(30);
/// Longest time that a request may ask for: a week.
pub const SERVICE_TIMEOUT_MAX: Duration = Duration::from_secs(7 * 86_400);
/// Tasks that a service knows, those that wait and run included, when nobody says how many.
pub const SERVICE_TASKS: usize = 1_024;
/// How long the response of a task is kept when nobody says how long.
pub const SERVICE_TASK_AGE: Duration = Duration::from_secs(300);
/// Most attempts that a request may ask for.
pub const SERVICE_ATTEMPTS_MAX: u32 = 10;
/// The pause before the second attempt when a request names none; it doubles from there.
pub const SERVICE_BACKOFF: Duration = Duration::from_millis(100);
/// The longest pause between two attempts when a request names none.
pub const SERVICE_BACKOFF_MAX: Duration = Duration::from_secs(5);
/// Results that a cache keeps when nobody says how many.
pub const SERVICE_CACHE_ENTRIES: usize = 1_024;
/// Bytes of results, as JSON, that a cache keeps when nobody says how many.
pub const SERVICE_CACHE_BYTES: usize = 16 << 20;
/// How long a result is answered from a cache when nobody says how long.
pub const SERVICE_CACHE_AGE: Duration = Duration::from_secs(60);
/// How long a response waits for the end of the call's sandboxes: a process may take the longest
/// grace that a manifest asks for, and then the system's time to kill it.
pub const SERVICE_SETTLE_MAX: Duration =
    PROCESS_STOP_GRACE_MAX.saturating_add(PROCESS_KILL_WAIT).saturating_add(PROCESS_KILL_WAIT);
/// Tools that have metrics of their own; those beyond share one row named `other`.
pub const METRIC_TOOLS_MAX: usize = 256;
/// Connections to the metrics that are open at once; further ones wait.
pub const METRIC_CONNECTIONS_MAX: usize = 8;
/// How long one connection to the metrics may take, from its request to its answer.
pub const METRIC_CONNECTION_TIME_MAX: Duration = Duration::from_secs(10);

const _: () = assert!(SERVICE_AGENT_CALLS <= SERVICE_CALLS && SERVICE_CALLS <= CALLS_IN_FLIGHT_MAX);
const _: () = assert!(SERVICE_AGENT_QUEUE <= SERVICE_QUEUE);
const _: () = assert!(SERVICE_PRIORITY_MIN <= SERVICE_PRIORITY && SERVICE_PRIORITY <= SERVICE_PRIORITY_MAX);

// Artifacts on disk.

/// Most bytes of contents that a folder of artifacts keeps.
pub const ARTIFACTS_DISK_BYTES_MAX: u64 = 1 << 30;
/// Largest artifact in a folder, in bytes; it is read whole, to compare it with its name.
pub const ARTIFACT_BYTES_MAX: u64 = ARTIFACTS_DISK_BYTES_MAX;
/// Most artifacts that a folder keeps. Each is looked at when room has to be made.
pub const ARTIFACTS_DISK_MAX: usize = 8_192;
/// The part of a full store that is freed at once, so that not every artifact that comes makes
/// somebody look at all that are there.
pub const ARTIFACTS_HEADROOM: u64 = 16;
/// How long an artifact stays in its folder that nobody uses: long enough to look into last week's run.
pub const ARTIFACTS_AGE_MAX: Duration = Duration::from_secs(30 * 24 * 3600);
/// How often the lock of a folder of artifacts is tried, a millisecond apart. It is held for
/// milliseconds; one that is held longer belongs to a process that was stopped.
pub const ARTIFACTS_LOCK_TRIES_MAX: usize = 1_500;
/// Most bytes of one process's pins that are read: more rows than there can be artifacts, twice.
pub const ARTIFACTS_PIN_FILE_BYTES_MAX: u64 = 33 * 2 * ARTIFACTS_DISK_MAX as u64;
/// Shortest value, in bytes, that a recording writes by the name of the artifact that it is a part of.
pub const JOURNAL_NAMED_BYTES_MIN: usize = 1_000;

const _: () = assert!(OUTPUT_BYTES_MAX as u64 <= ARTIFACTS_DISK_BYTES_MAX);
const _: () = assert!((ARTIFACTS_LOCK_TRIES_MAX as u128) < ARTIFACT_STORE_TIME_MAX.as_millis());

// Permissions, previews and checkpoints.

/// How long whoever is asked for a permission may take; afterwards the answer is no. The time does
/// not count against the tool's own deadline.
pub const APPROVAL_WAIT_MAX: Duration = Duration::from_secs(15 * 60);
/// How often one call is asked for anew because its files changed since they were shown.
pub const APPROVAL_ROUNDS_MAX: u32 = 3;
/// Most bytes of file content that one preview holds, before and after together.
pub const PREVIEW_BYTES_MAX: usize = 64 << 20;
/// Most files that one preview names.
pub const PREVIEW_FILES_MAX: usize = 1_000;
/// Most lines of a diff that are kept; further ones are counted.
pub const DIFF_LINES_MAX: usize = 2_000;
/// Longest line of a diff, in characters; the rest of a longer one is counted.
pub const DIFF_LINE_CHARS_MAX: usize = 500;
/// How long the smallest difference between two files is looked for before a larger one does.
pub const DIFF_TIME_MAX: Duration = Duration::from_secs(1);
/// Lines around a change that a diff shows.
pub const DIFF_CONTEXT_LINES: usize = 3;
/// Most characters of one argument that a question about a call shows.
pub const ASKED_ARGUMENT_CHARS_MAX: usize = 2_000;
/// Most checkpoints that a folder of them keeps; the oldest go first.
pub const CHECKPOINTS_MAX: usize = 500;
/// Most bytes of file content that a folder of checkpoints keeps; the oldest go first.
pub const CHECKPOINT_BYTES_MAX: u64 = 256 << 20;
/// Largest description of one checkpoint, in bytes: a thousand files with long paths.
pub const CHECKPOINT_ENTRY_BYTES_MAX: usize = 8 << 20;
/// How long a call that has ended may take to note in its checkpoint how it left its files.
pub const CHECKPOINT_SEAL_TIME_MAX: Duration = Duration::from_secs(5);
/// Most names in a folder of checkpoints that are looked at.
pub const CHECKPOINT_NAMES_MAX: usize = 100_000;
/// Largest policy file, in bytes.
pub const POLICY_BYTES_MAX: usize = 1 << 20;
/// Most rules of one policy.
pub const POLICY_RULES_MAX: usize = 1_000;
/// Longest line that a person may type as an answer, in bytes; a longer one is no answer.
pub const ANSWER_BYTES_MAX: usize = 256;
/// How often a person is asked again who answered something that is no answer.
pub const ANSWERS_MAX: u32 = 3;
/// Lines of a diff that a question shows before it offers to show all.
pub const ASKED_LINES_MAX: usize = 60;

const _: () = assert!(PREVIEW_BYTES_MAX as u64 <= CHECKPOINT_BYTES_MAX);
const _: () = assert!(ASKED_LINES_MAX < DIFF_LINES_MAX);
