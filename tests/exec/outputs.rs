//! What becomes of an output on its way to a model.

use std::sync::Arc;

use helve::call::ToolName;
use helve::exec::artifact::{Artifact, ArtifactError, ArtifactId, ArtifactStore, MemoryArtifacts, Pinned};
use helve::exec::{Collaborators, OutputBounds, Turn};
use helve::harness::Lease;
use helve::limits::{ARTIFACT_SUMMARY_CHARS_MAX, OUTPUT_INLINE_CHARS_MAX};
use helve::outcome::{Outcome, ToolArtifactReference};
use serde_json::{Value as Json, json};

use crate::rig::Rig;

fn with_store(store: Arc<dyn ArtifactStore>) -> Rig {
    Rig::new().working_with(Collaborators { artifacts: store, ..Collaborators::default() })
}

fn reference(outcome: Outcome) -> ToolArtifactReference {
    match outcome {
        Outcome::ToolArtifactReference(it) => it,
        other => panic!("not an artifact: {}", other.kind()),
    }
}

#[tokio::test(start_paused = true)]
async fn a11_a_model_sees_what_was_cut_and_a_tree_sees_it_whole() {
    let listing = json!({"entries": (0..500).collect::<Vec<_>>(), "folder": "src"});
    let outcome = Rig::new().say(listing.clone()).await;
    assert_eq!(outcome.output().map(|output| &**output), Some(&listing));
    let shown: Json = serde_json::from_str(&outcome.to_model_content()).unwrap();
    assert_eq!(shown["entries"].as_array().map(Vec::len), Some(200));
    assert_eq!(shown["_cut"], json!(["entries: 200 of 500 items"]));
    assert!(matches!(outcome, Outcome::ToolExecutionResult(_)), "what is cut is small enough");
}

/// A JSON text of so many characters, of parts that are not cut themselves.
fn of_chars(chars: usize) -> Json {
    let mut texts = vec!["ü".repeat(2_500); (chars - 2) / 2_503];
    let so_far = json!(texts).to_string().chars().count();
    texts.push("ü".repeat(chars - so_far - 3));
    assert_eq!(json!(texts).to_string().chars().count(), chars);
    json!(texts)
}

#[tokio::test(start_paused = true)]
async fn a12_above_twelve_thousand_characters_the_output_goes_whole_to_the_store() {
    let store = Arc::new(MemoryArtifacts::default());
    let rig = with_store(store.clone());
    let outcome = rig.say(of_chars(OUTPUT_INLINE_CHARS_MAX)).await;
    assert!(matches!(outcome, Outcome::ToolExecutionResult(_)));
    let whole = of_chars(OUTPUT_INLINE_CHARS_MAX + 1);
    let found = reference(rig.say(whole.clone()).await);
    assert_eq!(*found.output, whole, "predicates and ports see it whole");
    let id = ArtifactId::parse(&found.artifact_id).unwrap();
    let content = store.get(&id).unwrap();
    assert_eq!(serde_json::from_slice::<Json>(&content).unwrap(), whole);
    assert_eq!(found.size_bytes, content.len() as u64);
    assert_eq!(found.summary.chars().count(), ARTIFACT_SUMMARY_CHARS_MAX);
    assert!(found.summary.starts_with("[\"üüü") && found.summary.ends_with("..."));
    let again = reference(rig.say(whole).await);
    assert_eq!(again.artifact_id, found.artifact_id, "one content, one artifact");
}

#[tokio::test(start_paused = true)]
async fn a12_what_is_stored_is_not_what_was_cut() {
    let store = Arc::new(MemoryArtifacts::default());
    let whole = json!(vec!["x".repeat(5_000); 5]);
    let found = reference(with_store(store.clone()).say(whole.clone()).await);
    let content = store.get(&ArtifactId::parse(&found.artifact_id).unwrap()).unwrap();
    assert_eq!(serde_json::from_slice::<Json>(&content).unwrap(), whole);
}

/// Stores nothing: it is full, or panics, or never answers.
struct Broken(&'static str);

impl ArtifactStore for Broken {
    fn put(&self, content: &[u8], _: &ToolName, _: &Lease) -> Result<Pinned, ArtifactError> {
        match self.0 {
            "full" => Err(ArtifactError::Full { bytes: content.len(), bytes_max: 10 }),
            _ => panic!("out of disks"),
        }
    }

    fn get(&self, id: &ArtifactId) -> Result<Artifact, ArtifactError> {
        Err(ArtifactError::Missing { id: id.clone() })
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_does_not_undo_the_call() {
    let rows = [("full", "there is no room for"), ("panics", "the tool panicked: out of disks")];
    for (fault, words) in rows {
        let whole = of_chars(OUTPUT_INLINE_CHARS_MAX + 1);
        let outcome = with_store(Arc::new(Broken(fault))).say(whole.clone()).await;
        assert_eq!(outcome.output().map(|output| &**output), Some(&whole), "{fault}");
        let shown: Json = serde_json::from_str(&outcome.to_model_content()).unwrap();
        let told = shown["_cut"][0].as_str().unwrap();
        assert!(told.starts_with("the output has 12001 characters and could not be stored: "), "{told}");
        assert!(told.contains(words), "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_numbers_are_the_users_to_set() {
    let bounds = OutputBounds { inline_chars_max: 10, ..OutputBounds::default() };
    let mut rig = Rig::new();
    rig.executor = rig.executor.clone().with_output_bounds(bounds);
    assert_eq!(rig.say(json!("12345678")).await.kind(), "result");
    assert_eq!(rig.say(json!("123456789")).await.kind(), "artifact");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_stored_once_the_turn_has_ended() {
    let store = Arc::new(MemoryArtifacts::default());
    let rig = with_store(store.clone());
    let turn = Turn::default();
    let whole = of_chars(OUTPUT_INLINE_CHARS_MAX + 1);
    let ends = turn.clone();
    let arguments = json!({"act": "say", "say": whole, "ms": 1});
    // The turn ends while the tool is at work.
    let outcome = tokio::join!(rig.act(&turn, arguments), async move { ends.end() }).0;
    assert_eq!(outcome.kind(), "result");
    assert!(outcome.to_model_content().contains("no longer land"));
    assert!(store.get(&ArtifactId::of(whole.to_string().as_bytes())).unwrap_err().is_missing());
}

#[tokio::test(start_paused = true)]
async fn a12_what_a_turn_has_stored_is_never_evicted_while_the_turn_lives() {
    // Room for two such outputs and not for three.
    let store = Arc::new(MemoryArtifacts::new(60_000));
    let rig = with_store(store.clone());
    let turn = Turn::default();
    let whole = |mark: usize| of_chars(OUTPUT_INLINE_CHARS_MAX + mark);
    let say =
        async |turn: &Turn, mark| rig.act(turn, json!({"act": "say", "say": whole(mark), "ms": 0})).await;
    let first = reference(say(&turn, 1).await);
    let second = reference(say(&turn, 2).await);
    let third = say(&turn, 3).await;
    assert_eq!((third.kind(), third.output().map(|it| &**it)), ("result", Some(&whole(3))));
    assert!(third.to_model_content().contains("all it holds is in use"));
    for it in [&first, &second] {
        assert!(store.get(&ArtifactId::parse(&it.artifact_id).unwrap()).is_ok());
    }
    drop(turn);
    assert_eq!(say(&Turn::default(), 3).await.kind(), "artifact", "the next turn has room");
}
