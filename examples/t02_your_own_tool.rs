//! This lesson shows a tool of your own: a struct for its arguments, a struct for its result, and
//! a tree (`trees/lessons/t02_your_own_tool.xml`) that calls it in both spellings.
//!
//! Run it with `cargo run --example t02_your_own_tool`.

use std::error::Error;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use helve::exec::BoundedExecutor;
use helve::manifest::ToolManifest;
use helve::run::{RunClock, Runner, catalog_of};
use helve::text::Source;
use helve::tool::{CallContext, Registry, ToolError, TypedTool};
use helve::tree::{self, CompileOptions};

/// The arguments: each field is an input port, its comment the port's description.
#[derive(Deserialize, JsonSchema)]
struct WordCountArguments {
    /// The text.
    text: String,
    /// Words with fewer letters are not counted.
    #[serde(default)]
    min_length: usize,
}

/// The result: each field is an output port, and `result` is all of it.
#[derive(Serialize, JsonSchema)]
struct WordCountOutput {
    /// How many words there are.
    words: usize,
    /// The longest of them.
    longest: String,
}

struct WordCount;

impl TypedTool for WordCount {
    type Arguments = WordCountArguments;
    type Output = WordCountOutput;

    fn describe(&self) -> ToolManifest {
        // Name, description and schemas come first; then whatever is not the default.
        Self::manifest("word_count", "Counts the words of a text.")
            .category("text")
            .timeout(Duration::from_secs(2))
            .idempotent()
    }

    async fn call(
        &self,
        arguments: WordCountArguments,
        cx: &CallContext,
    ) -> Result<WordCountOutput, ToolError> {
        cx.progress(format!("reading {} bytes", arguments.text.len()));
        let long = |word: &&str| word.chars().count() >= arguments.min_length;
        let words: Vec<_> = arguments.text.split_whitespace().filter(long).collect();
        let longest = words.iter().max_by_key(|word| word.chars().count()).copied().unwrap_or_default();
        Ok(WordCountOutput { words: words.len(), longest: longest.to_owned() })
    }
}

/// The lesson itself, so that a test can read what it prints.
pub async fn lesson(out: &mut dyn Write) -> Result<(), Box<dyn Error>> {
    let mut registry = Registry::new();
    registry.add_typed(WordCount)?;

    let source = Source::new(
        "trees/lessons/t02_your_own_tool.xml",
        include_str!("../trees/lessons/t02_your_own_tool.xml"),
    );
    let tree = tree::load(&source, &catalog_of(&registry)?, &CompileOptions::default())?;

    let executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start()))?;
    let run = Runner::new(tree, executor).set("text", "a helve is the wooden handle of a tool")?.start();
    let report = run.report().await;

    for record in &report.calls {
        let outcome = record.outcome.as_ref().map_or("none", |outcome| outcome.kind());
        writeln!(out, "{} -> {outcome}", record.call.caller)?;
    }
    let longest: String = report.output("longest")?;
    writeln!(out, "success: {}, the longest word is {longest:?}", report.is_success())?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    lesson(&mut io::stdout().lock()).await
}
