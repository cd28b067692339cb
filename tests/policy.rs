//! Policy files: what they say of calls, and what is said of their faults.

use std::sync::Arc;

use helve::call::Arguments;
use helve::diag::{Code, Diagnostics};
use helve::exec::policy::Policy;
use helve::exec::{Decision, Permissions};
use helve::manifest::{Effects, ToolManifest};
use helve::text::Source;
use proptest::prelude::*;
use serde_json::{Value as Json, json};

fn policy(text: &str) -> Policy {
    Policy::read(&Source::new("policy.toml", text)).expect("a policy without faults")
}

fn manifest(tool: &str, effects: Effects) -> ToolManifest {
    let schema = json!({"type": "object", "properties": {"path": {}, "body": {}, "options": {}}});
    ToolManifest::new(tool, "", schema).effects(effects)
}

fn decide(policy: &Policy, manifest: &ToolManifest, arguments: &Json) -> String {
    match policy.decide(manifest, arguments.as_object().expect("an object")) {
        Decision::Allow(by) => format!("allow: {by}"),
        Decision::Ask(by) => format!("ask: {by}"),
        Decision::Deny { by, why: None } => format!("deny: {by}"),
        Decision::Deny { by, why: Some(why) } => format!("deny: {by}: {why}"),
    }
}

#[track_caller]
fn check(text: &str, tool: &str, arguments: Json, expected: &str) {
    let found = decide(&policy(text), &manifest(tool, Effects::Writes), &arguments);
    assert_eq!(found.split(':').next(), Some(expected), "{found}");
}

const ALL: &str = "allow = [\"*\"]\nask = [\"write_*\"]\n[[deny]]\ntool = \"*\"\narguments = { path = \"secrets/*\" }\nwhy = \"they are secret\"\n";

#[test]
fn a09_deny_goes_before_ask_and_ask_before_allow_whatever_their_order() {
    check(ALL, "read", json!({"path": "a"}), "allow");
    check(ALL, "write_note", json!({"path": "a"}), "ask");
    check(ALL, "write_note", json!({"path": "secrets/a"}), "deny");
    check(ALL, "read", json!({"path": "secrets/a"}), "deny");
    let (manifest, arguments) = (manifest("read", Effects::Writes), json!({"path": "secrets/a"}));
    let found = decide(&policy(ALL), &manifest, &arguments);
    assert_eq!(found, "deny: the rule `deny` at policy.toml:3: they are secret");
}

#[test]
fn a09_what_no_rule_is_about_is_decided_by_what_the_tool_does() {
    let check = |text: &str, effects: Effects, expected: &str| {
        assert_eq!(decide(&policy(text), &manifest("t", effects), &json!({})), expected);
    };
    check("", Effects::ReadOnly, "allow: the default for tools that only look");
    check("", Effects::Writes, "ask: the default for tools that write");
    check("", Effects::External, "ask: the default for tools that speak to the outside");
    let strict = "[default]\nread-only = \"ask\"\nwrites = \"deny\"\nexternal = \"allow\"\n";
    check(strict, Effects::ReadOnly, "ask: the default for tools that only look");
    check(strict, Effects::Writes, "deny: the default for tools that write");
    check(strict, Effects::External, "allow: the default for tools that speak to the outside");
}

#[test]
fn a09_a_tool_that_wants_a_confirmation_is_let_off_by_a_rule_about_it_alone() {
    let manifest = manifest("t", Effects::ReadOnly).confirms();
    let check = |text: &str, expected: &str| {
        assert_eq!(decide(&policy(text), &manifest, &json!({})), expected);
    };
    check("", "ask: the tool wants a confirmation");
    check("[default]\nread-only = \"allow\"", "ask: the tool wants a confirmation");
    check("allow = [\"t\"]", "allow: the rule `allow` at policy.toml:1");
}

#[test]
fn a09_globs_are_over_the_texts_of_arguments_and_the_spellings_of_paths() {
    let deny = |glob: &str| format!("allow = [\"*\"]\n[[deny]]\ntool = \"*\"\narguments = {{ {glob} }}\n");
    let secret = deny("path = \"secrets/*\"");
    for path in [
        "secrets/a",
        "./secrets/a",
        "secrets//a",
        "x/../secrets/a",
        "secrets/deep/a",
        "../secrets/../secrets/a",
    ] {
        let expected = if path.starts_with("../") { "allow" } else { "deny" };
        check(&secret, "t", json!({"path": path}), expected);
    }
    check(&secret, "t", json!({"path": "notes/secrets"}), "allow");
    check(&secret, "t", json!({}), "allow");
    check(&secret, "t", json!({"path": ["a", {"b": "secrets/x"}]}), "deny");
    check(&deny("path = [\"*.key\", \"*.pem\"]"), "t", json!({"path": "a/b.pem"}), "deny");
    check(&deny("body = \"*rm -rf /*\""), "t", json!({"body": "x;\nrm -rf /usr"}), "deny");
    check(&deny("\"options.force\" = \"true\""), "t", json!({"options": {"force": true}}), "deny");
    check(&deny("\"options.force\" = \"true\""), "t", json!({"options": {"force": false}}), "allow");
    check(&deny("path = \"a\", body = \"b\""), "t", json!({"path": "a", "body": "c"}), "allow");
}

#[test]
fn a09_allow_wants_every_text_and_every_spelling_to_match() {
    let allow = "[[allow]]\ntool = \"t\"\narguments = { path = \"notes/*\" }\n";
    check(allow, "t", json!({"path": "notes/a"}), "allow");
    check(allow, "t", json!({"path": "notes/../secrets/a"}), "ask");
    check(allow, "t", json!({"path": ["notes/a", "secrets/a"]}), "ask");
    check(allow, "t", json!({"path": ["notes/a", "notes/b"]}), "allow");
    check(allow, "t", json!({"path": []}), "ask");
    check(allow, "t", json!({}), "ask");
    check(allow, "other", json!({"path": "notes/a"}), "ask");
}

/// What is said of a call that would write these files, as absolute paths.
fn decide_files(text: &str, files: Option<&[&str]>) -> String {
    let policy = policy(text).from_folder("/place");
    let manifest = manifest("t", Effects::Writes);
    let files: Option<Vec<_>> = files.map(|files| files.iter().map(Into::into).collect());
    assert!(policy.looks_at_files(&manifest, &Arguments::new()), "{text}");
    match policy.decide_files(&manifest, &Arguments::new(), files.as_deref()) {
        Decision::Allow(by) => format!("allow: {by}"),
        Decision::Ask(by) => format!("ask: {by}"),
        Decision::Deny { by, .. } => format!("deny: {by}"),
    }
}

#[test]
fn a09_rules_over_files_are_about_what_a_call_would_write() {
    let check = |text: &str, files: &[&str], expected: &str| {
        assert_eq!(decide_files(text, Some(files)), expected, "{files:?}");
    };
    let default = "ask: the default for tools that write";
    let deny = "allow = [\"*\"]\n[[deny]]\ntool = \"*\"\nfile = [\"src/*\", \"*.key\", \"/etc/*\"]\n";
    let allowed = "allow: the rule `allow` at policy.toml:1";
    check(deny, &["/place/notes/a"], allowed);
    check(
        deny,
        &["/place/notes/a", "/place/src/a/b"],
        "deny: the rule `deny` at policy.toml:2, about `src/a/b`",
    );
    check(deny, &["/place/notes/x/../../src/a"], "deny: the rule `deny` at policy.toml:2, about `src/a`");
    check(deny, &["/elsewhere/my.key"], "deny: the rule `deny` at policy.toml:2, about `/elsewhere/my.key`");
    check(deny, &["/etc/passwd"], "deny: the rule `deny` at policy.toml:2, about `/etc/passwd`");
    check(deny, &["/elsewhere/src/a"], allowed);
    check(deny, &[], allowed);
    let allow = "[[allow]]\ntool = \"t\"\nfile = \"notes/*\"\n";
    check(
        allow,
        &["/place/notes/a", "/place/notes/b"],
        "allow: the rule `allow` at policy.toml:1, about `notes/a`",
    );
    check(allow, &["/place/notes/a", "/place/b"], default);
    check(allow, &["/place/notes/../b"], default);
    check(allow, &["/other/notes/a"], default);
    check(allow, &[], default);
    let both = format!("{allow}[[ask]]\ntool = \"*\"\nfile = \"*/a\"\n");
    check(&both, &["/place/notes/a"], "ask: the rule `ask` at policy.toml:4, about `notes/a`");
}

#[test]
fn a09_what_a_tool_cannot_say_is_never_taken_for_harmless() {
    let check = |text: &str, expected: &str| assert_eq!(decide_files(text, None), expected, "{text}");
    let rule = |word: &str| format!("[[{word}]]\ntool = \"*\"\nfile = \"a\"\n");
    let doubt = |word: &str| {
        format!("ask: the rule `{word}` at policy.toml:1, for the tool cannot say which files it would write")
    };
    check(&format!("{}[[allow]]\ntool = \"*\"\n", rule("deny")), &doubt("deny"));
    check(&format!("{}[[allow]]\ntool = \"*\"\n", rule("ask")), &doubt("ask"));
    check(&format!("{}[default]\nwrites = \"allow\"\n", rule("deny")), &doubt("deny"));
    check(&rule("allow"), "ask: the default for tools that write");
    check(&format!("{}[[deny]]\ntool = \"t\"\n", rule("deny")), "deny: the rule `deny` at policy.toml:4");
}

#[test]
fn the_policy_beside_the_trees_does_what_it_says() {
    let text = include_str!("../trees/policy.toml");
    check(text, "vault_write", json!({"path": "explore/Engine.md"}), "allow");
    check(text, "vault_write", json!({"path": "explore/../secrets/a"}), "deny");
    check(text, "vault_write", json!({"path": "other.md"}), "ask");
}

fn faults(text: &str) -> Diagnostics {
    Policy::read(&Source::new("policy.toml", text)).expect_err("a fault")
}

#[test]
fn faults_of_a_policy_have_their_places_and_all_are_told() {
    let text = "denny = []\nask = 3\nallow = [\"[\", 4, { arguments = {} }, { tool = \"a\", argument = 1 }]\n\
                [default]\nwrites = \"maybe\"\nexternal = 1\n";
    insta::assert_snapshot!(faults(text).to_string());
    insta::assert_snapshot!(faults("[[deny]\ntool = *\n").to_string());
    let codes: Vec<_> = faults("[[deny]]\n").iter().map(|fault| fault.code).collect();
    assert_eq!(codes, [Code::E0703]);
}

#[test]
fn a_rule_that_can_be_about_no_call_is_doubted() {
    let tools = [Arc::new(manifest("write", Effects::Writes)), Arc::new(manifest("read", Effects::ReadOnly))];
    let check = |arguments: &str, expected: usize| {
        let text = format!("[[deny]]\ntool = \"w*\"\narguments = {{ {arguments} }}\n");
        assert_eq!(policy(&text).doubts(&tools).iter().count(), expected, "{text}");
    };
    check("path = \"a\"", 0);
    check("pth = \"a\"", 1);
    check("\"options.force\" = \"a\"", 0);
    let files = |tool: &str| {
        policy(&format!("[[deny]]\ntool = \"{tool}\"\nfile = \"a\"\n")).doubts(&tools).iter().count()
    };
    assert_eq!((files("read"), files("*"), files("write"), files("x")), (1, 0, 0, 0));
    assert_eq!(
        policy("[[deny]]\ntool = \"x\"\narguments = { pth = \"a\" }\n").doubts(&tools).iter().count(),
        0
    );
    let doubt = policy("[[deny]]\ntool = \"w*\"\narguments = { pth = \"a\" }\n").doubts(&tools);
    insta::assert_snapshot!(doubt.to_string(), @r#"
    warning[W0701]: no tool that the rule names has an argument `pth`
     --> policy.toml:3:15
      |
    3 | arguments = { pth = "a" }
      |               ^^^ so the rule is about no call
      |
      = help: `helve tools NAME` lists the arguments of a tool.
    "#);
}

proptest! {
    /// No text makes reading panic, and a policy that reads denies what a rule denies.
    #[test]
    fn a09_reading_never_panics(text in "[\\[\\]{}=\"*a-z \n.,]{0,80}") {
        let _ = Policy::read(&Source::new("policy.toml", &*text));
    }

    #[test]
    fn a09_no_spelling_of_a_path_gets_past_a_denial(
        steps in prop::collection::vec(prop::sample::select(vec!["./", "x/../", "/", "a/./../"]), 0..6),
    ) {
        let path = format!("a/../{}secrets//{}b", steps.concat().trim_start_matches('/'), steps.concat().trim_start_matches('/'));
        prop_assume!(!path.starts_with('/'));
        check(ALL, "t", json!({"path": path}), "deny");
    }
}
