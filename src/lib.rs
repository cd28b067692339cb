//! Helve is a behavior-tree runtime whose leaves are tools. A plan is an XML file: reviewed like
//! code, checked before it runs, bounded while it runs, replayed and explained afterwards.
//!
//! # A whole program
//!
//! ```
//! use std::sync::Arc;
//! use helve::{exec::BoundedExecutor, run::{RunClock, Runner, catalog_of}, text::Source, tree};
//! # use helve::{manifest::ToolManifest, tool::{CallContext, Registry, ToolError, TypedTool}};
//! # #[derive(serde::Deserialize, schemars::JsonSchema)]
//! # struct Args { person: String }
//! # #[derive(serde::Serialize, schemars::JsonSchema)]
//! # struct Out { greeting: String }
//! # struct Greet;
//! # impl TypedTool for Greet {
//! #     type Arguments = Args;
//! #     type Output = Out;
//! #     fn describe(&self) -> ToolManifest { Self::manifest("greet", "Greets somebody.") }
//! #     async fn call(&self, args: Args, _: &CallContext) -> Result<Out, ToolError> {
//! #         Ok(Out { greeting: format!("hello, {}", args.person) })
//! #     }
//! # }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // The tools that a tree may call. `Greet` is a struct of yours: see `examples/t02_your_own_tool.rs`.
//! let mut registry = Registry::new();
//! registry.add_typed(Greet)?;
//!
//! // Text becomes a tree, or all of its faults, each with its line and what to do next.
//! let source = Source::new("greet.xml", r#"<root BTCPP_format="4"><BehaviorTree>
//!     <greet person="{who}" greeting="{said}"/>
//! </BehaviorTree></root>"#);
//! let tree = tree::load(&source, &catalog_of(&registry)?, &tree::CompileOptions::default())?;
//!
//! // A run: initial keys in, events while it goes, typed outputs at its end. `run.halt()` cancels it.
//! let executor = BoundedExecutor::new(Arc::new(registry), Arc::new(RunClock::start()))?;
//! let run = Runner::new(tree, executor).set("who", "world")?.start();
//! let mut events = run.events();
//! let watching = tokio::spawn(async move {
//!     while let Some(event) = events.next().await {
//!         println!("{event:?}");
//!     }
//! });
//! let report = run.report().await;
//! assert!(report.is_success());
//! assert_eq!(report.output::<String>("said")?, "hello, world");
//! # watching.await?;
//! # Ok(())
//! # }
//! ```
//!
//! # The house
//!
//! Data goes one way, downwards in this table; only outcomes come back, as inputs of a later step.
//! Imports go upwards only, and `tests/tidy.rs` holds that.
//!
//! | floor | modules | what |
//! |--:|---|---|
//! | 0 words | [`id`] [`status`] [`value`] [`call`] [`outcome`] [`manifest`] [`event`] [`moment`] [`limits`] [`text`] [`diag`] [`loader`] [`convert`] [`json_path`] | values without machinery |
//! | 1 text | [`xml`] [`expr`] | bytes to a document with spans; the one language of scripts, guards and predicates |
//! | 2 tree | [`catalog`] [`tree`] [`migrate`] | what nodes there are; check, compile to a flat arena, draw |
//! | 3 engine | [`board`] [`node`] [`engine`] | the blackboard; one file a node; the machine that ticks |
//! | 4 tools | [`tool`] [`harness`] [`exec`] [`backend`] [`tools`] | what a tool is; leases, roots and processes; the bounded executor; programs as tools; the built-in tools |
//! | 5 run | [`run`] [`journal`] [`service`] | the driver, the clock, the bus; recording and replay; tools as a service, metrics |
//! | 6 people | [`conformance`] [`explain`] [`cli`] | cases of the dialect's reference engine; a page for every diagnostic; the `helve` binary |
//!
//! Two rules shape everything. **The engine never awaits**: it takes inputs with their moments and
//! gives commands and events, so a run is exactly its list of inputs, and replay, debugging and
//! simulation are one thing. **The engine and the tools never meet**: they share the words
//! [`call::Call`] and [`outcome::Outcome`], and only [`run`] knows both.
//!
//! # Where to begin
//!
//! - a first tree by hand: `examples/t01_first_tree.rs`;
//! - a tool of your own: [`tool::TypedTool`], `examples/t02_your_own_tool.rs`;
//! - the language of conditions and predicates: [`expr`];
//! - the bounds and what they protect: [`limits`].

pub mod backend;
pub mod board;
pub mod call;
pub mod catalog;
pub mod cli;
pub mod conformance;
pub mod convert;
pub mod diag;
pub mod engine;
pub mod event;
pub mod exec;
pub mod explain;
pub mod expr;
pub mod harness;
pub mod id;
pub mod journal;
pub mod json_path;
mod json_place;
pub mod limits;
pub mod loader;
pub mod manifest;
pub mod migrate;
pub mod moment;
pub mod node;
pub mod outcome;
pub mod run;
pub mod service;
pub mod status;
pub mod text;
pub mod tool;
pub mod tools;
pub mod tree;
pub mod value;
pub mod xml;
