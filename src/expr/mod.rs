//! The one language of scripts, guards, success predicates and breakpoints.
//!
//! A text is lexed, parsed once into a flat tree, checked where types are known, and evaluated
//! many times. What a name stands for is the business of the caller: a program lists its names
//! ([`Program::names`]) and an [`Env`] answers for them by [`NameId`].
//!
//! ```
//! use helve::expr::{Dialect, Env, NameId, parse};
//! use helve::value::Value;
//!
//! struct One(Value);
//!
//! impl Env for One {
//!     fn read(&self, _: NameId) -> Option<&Value> {
//!         Some(&self.0)
//!     }
//! }
//!
//! let predicate = parse("size(result.results) > 0", Dialect::Predicate).expect("it parses");
//! let result = Value::from_json(serde_json::json!({ "results": [] }));
//! assert_eq!(predicate.test(&mut One(result.clone())), Ok(false));
//! assert_eq!(
//!     predicate.explain(&One(result)),
//!     "`size(result.results) > 0` is false: size(result.results) is 0"
//! );
//! ```
//!
//! The reference of the language follows.
#![doc = include_str!("../docs/expressions.md")]

mod ast;
mod check;
mod compare;
mod effect;
mod env;
mod eval;
mod explain;
mod fault;
mod function;
mod join;
mod lexer;
mod number;
mod operand;
mod operator;
mod parser;
mod print;
mod program;
mod recover;
mod trip;
mod weight;

pub use env::{Assign, Env};
pub use fault::{EvalFault, Fault, FaultKind};
pub use program::{Dialect, Name, NameId, Program, parse};
