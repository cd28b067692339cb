//! Substitution rules: which leaves are replaced, and what stands for them does.

use std::sync::Arc;
use std::time::Duration;

use helve::catalog::Catalog;
use helve::diag::Diagnostics;
use helve::exec::BoundedExecutor;
use helve::run::{RunClock, RunReport, Runner};
use helve::text::Source;
use helve::tool::Registry;
use helve::tree::{self, CompileOptions, Substitutions, Tree};

fn load(rules: &str, inside: &str, more: &str) -> (Option<Arc<Tree>>, Diagnostics) {
    let text = format!(
        "<root BTCPP_format=\"4\" main_tree_to_execute=\"Main\"><BehaviorTree ID=\"Main\">{inside}</BehaviorTree>{more}</root>"
    );
    let rules = Substitutions::parse(&Source::new("r.json", rules)).expect("rules that read");
    let options = CompileOptions { substitutions: Some(rules), ..CompileOptions::default() };
    let catalog: Catalog = helve::node::catalog();
    tree::load_with_warnings(&Source::new("t.xml", text), &catalog, &options)
}

async fn run(tree: Arc<Tree>) -> RunReport {
    let executor = BoundedExecutor::new(Arc::new(Registry::new()), Arc::new(RunClock::start()));
    Runner::new(tree, executor.expect("an executor")).start().report().await
}

/// A run of `inside` where `config` stands for the leaf `look`: the verdict, the keys, the time.
async fn check(config: &str, inside: &str, expected: &str) {
    let rules = format!(
        "{{\"TestNodeConfigs\": {{\"T\": {{{config}}}}}, \"SubstitutionRules\": {{\"look\": \"T\"}}}}"
    );
    let (tree, faults) = load(&rules, inside, "");
    let report = run(tree.ok_or_else(|| faults.to_string()).expect("the tree loads")).await;
    let keys = report.board.own_keys(helve::id::ScopeId::new(0)).into_iter();
    let keys = keys.filter_map(|(key, slot)| Some(format!("{key}={}", report.board.get(slot)?)));
    let told = [report.verdict.to_string()].into_iter().chain(keys).collect::<Vec<_>>().join(" ");
    assert!(told.starts_with(expected), "{config} {inside}: {told}");
}

#[tokio::test(start_paused = true)]
async fn a_test_node_answers_and_runs_its_scripts() {
    let leaf = "<AlwaysFailure name=\"look\"/>";
    check(r#""return_status": "SUCCESS""#, leaf, "SUCCESS").await;
    check(r#""return_status": "FAILURE""#, "<Inverter><AlwaysSuccess name=\"look\"/></Inverter>", "SUCCESS")
        .await;
    check(r#""return_status": "SUCCESS", "success_script": "a := 1", "failure_script": "b := 1", "post_script": "c := a + 1""#, leaf, "SUCCESS a=1 c=2").await;
    check(r#""return_status": "FAILURE", "success_script": "a := 1", "failure_script": "b := 1", "post_script": "c := b + 1""#, leaf, "FAILURE b=1 c=2").await;
    check(
        r#""return_status_script": "1 < 2 ? SUCCESS : FAILURE", "return_status": "FAILURE""#,
        leaf,
        "SUCCESS",
    )
    .await;
    check(r#""return_status_script": "'SUCCESS'""#, leaf, "SUCCESS").await;
    check(r#""return_status_script": "IDLE""#, leaf, "ERROR").await;
    check(r#""return_status_script": "7""#, leaf, "ERROR").await;
    check(
        r#""return_status": "SKIPPED""#,
        &format!("<Sequence>{leaf}<AlwaysSuccess/></Sequence>"),
        "SUCCESS",
    )
    .await;
    let hangs = format!("<Inverter><Timeout msec=\"50\">{leaf}</Timeout></Inverter>");
    check(r#""return_status": "RUNNING""#, &hangs, "SUCCESS").await;
    check(r#""return_status": "SUCCESS", "async_delay": 60, "post_script": "a := 1""#, &hangs, "SUCCESS")
        .await;
}

#[tokio::test(start_paused = true)]
async fn a_delay_passes_and_the_elements_own_conditions_stay() {
    let config = r#""return_status_script": "n := n + 1; n < 3 ? FAILURE : SUCCESS", "async_delay": 1000"#;
    let again = "<Sequence><Script code=\"n := 0\"/><RetryUntilSuccessful num_attempts=\"9\">\
                 <AlwaysFailure name=\"look\" _onSuccess=\"done := n\"/></RetryUntilSuccessful></Sequence>";
    check(config, again, "SUCCESS done=3 n=3").await;
    let rules = r#"{"TestNodeConfigs": {"T": {"return_status": "SUCCESS", "async_delay": 1500}}, "SubstitutionRules": {"*": "T"}}"#;
    let report = run(load(rules, "<AlwaysFailure/>", "").0.expect("a tree")).await;
    assert_eq!(report.elapsed, Duration::from_millis(1500));
}

/// The paths that rules replaced, each with what stands there.
#[track_caller]
fn check_replaced(rules: &str, expected: &str) {
    let inside = "<Sequence name=\"s\"><AlwaysFailure name=\"a\"/><Sleep msec=\"5\"/><SubTree ID=\"Sub\" name=\"sub\"/></Sequence>";
    let sub = "<BehaviorTree ID=\"Sub\"><AlwaysFailure name=\"a\"/></BehaviorTree>";
    let (tree, faults) = load(&format!("{{\"SubstitutionRules\": {rules}}}"), inside, sub);
    let told = tree.map_or_else(String::new, |tree| {
        let replaced = tree.all_substituted().map(|(node, it)| format!("{}={}", tree.path(node), it.by));
        replaced.collect::<Vec<_>>().join(" ")
    });
    let faults: String = faults.iter().map(|fault| format!(" {}", fault.code)).collect();
    assert_eq!(format!("{told}{faults}"), expected, "{rules}");
}

#[test]
fn rules_find_leaves_by_name_type_and_path() {
    check_replaced("{}", "");
    check_replaced(r#"{"a": "AlwaysSuccess"}"#, "a=AlwaysSuccess sub/a=AlwaysSuccess");
    check_replaced(r#"{"sub/*": "AlwaysSuccess"}"#, "sub/a=AlwaysSuccess");
    check_replaced(r#"{"Sleep": "AlwaysSuccess"}"#, "Sleep::3=AlwaysSuccess");
    check_replaced(r#"{"Sleep::?": "AlwaysSuccess"}"#, "Sleep::3=AlwaysSuccess");
    check_replaced(
        r#"{"sub/a": "AlwaysFailure", "a": "AlwaysSuccess"}"#,
        "a=AlwaysSuccess sub/a=AlwaysFailure",
    );
    check_replaced(r#"{"s": "AlwaysSuccess"}"#, " W0111");
    check_replaced(r#"{"b": "AlwaysSuccess"}"#, " W0111");
    check_replaced(r#"{"a": "Sleep"}"#, " E0144 E0144");
    check_replaced(r#"{"a": "Sequence"}"#, " E0143");
    check_replaced(r#"{"a": "AlwaysSucces"}"#, " E0143");
}
