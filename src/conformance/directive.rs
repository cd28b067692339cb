//! What a case asks for besides its tree: comments that begin with `oracle`.

use std::error::Error;

use crate::limits::CONFORMANCE_TICKS_MAX;
use crate::value::{Type, Value};

/// Completions before a case ends, when it does not say.
const RUNS_DEFAULT: u32 = 1;
/// Ticks after which a case ends, when it does not say.
const TICKS_DEFAULT: u64 = 12;

/// The directives of one case.
pub struct Directives {
    /// Completions before the case ends.
    pub runs: u32,
    /// Ticks after which it ends in any case.
    pub max_ticks: u64,
    /// Tick as long as the tree asks for it (`tickOnce`), not exactly once.
    pub tick_while_awake: bool,
    /// Milliseconds that pass before every tick but the first.
    pub sleep_ms: u64,
    /// Keys that have a value before the tree is loaded.
    pub init: Vec<Key>,
    /// What happens just before a tick, in order.
    pub before: Vec<(u64, Deed)>,
    /// Names of integers.
    pub enums: Vec<(String, i64)>,
    /// Substitution rules, as JSON.
    pub rules: Option<String>,
}

/// A key with its value.
pub struct Key {
    /// Its name.
    pub name: String,
    /// The type that the application declares it with.
    pub ty: Type,
    /// Its value.
    pub value: Value,
}

/// What happens before a tick.
pub enum Deed {
    /// The application writes a key.
    Set(Key),
    /// It takes the value of a key away.
    Unset(String),
    /// It writes every member of a JSON object.
    Import(serde_json::Map<String, serde_json::Value>),
    /// Milliseconds pass.
    Sleep(u64),
    /// The tree is halted.
    Halt,
}

impl Directives {
    /// The directives in the comments of a tree.
    ///
    /// # Errors
    /// Which directive does not read.
    pub fn read(xml: &str) -> Result<Self, String> {
        let mut all = Self {
            runs: RUNS_DEFAULT,
            max_ticks: TICKS_DEFAULT,
            tick_while_awake: false,
            sleep_ms: 0,
            init: Vec::new(),
            before: Vec::new(),
            enums: Vec::new(),
            rules: None,
        };
        for comment in xml.split("<!--").skip(1).filter_map(|rest| rest.split("-->").next()) {
            let Some(lines) = comment.trim_start().strip_prefix("oracle") else { continue };
            for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
                all.add(line).map_err(|why| format!("directive `{line}`: {why}"))?;
            }
        }
        Ok(all)
    }

    fn add(&mut self, line: &str) -> Result<(), Box<dyn Error>> {
        let (word, rest) = cut(line);
        match word {
            "runs" => self.runs = rest.parse()?,
            "max_ticks" => self.max_ticks = ticks(rest.parse()?)?,
            "tick" if rest == "once" => self.tick_while_awake = true,
            "sleep_ms" => self.sleep_ms = rest.parse()?,
            "init" => self.init.push(key(rest)?),
            "enum" => {
                let (name, number) = cut(rest);
                self.enums.push((name.to_owned(), number.parse()?));
            }
            "rules" => self.rules = Some(rest.to_owned()),
            "set" | "unset" | "import" | "sleep" | "halt" => {
                let (tick, rest) = cut(rest);
                self.before.push((tick.parse()?, deed(word, rest)?));
            }
            _ => return Err("not known".into()),
        }
        Ok(())
    }
}

fn ticks(count: u64) -> Result<u64, String> {
    if count > CONFORMANCE_TICKS_MAX {
        return Err(format!("a case has at most {CONFORMANCE_TICKS_MAX} ticks"));
    }
    Ok(count)
}

fn deed(word: &str, rest: &str) -> Result<Deed, Box<dyn Error>> {
    Ok(match word {
        "set" => Deed::Set(key(rest)?),
        "unset" => Deed::Unset(rest.to_owned()),
        "import" => Deed::Import(serde_json::from_str(rest)?),
        "sleep" => Deed::Sleep(rest.parse()?),
        _ => Deed::Halt,
    })
}

/// The first word and the rest.
fn cut(line: &str) -> (&str, &str) {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    (word, rest.trim_start())
}

/// `KEY TYPE VALUE`. A text that the application writes leaves its key untyped.
fn key(text: &str) -> Result<Key, Box<dyn Error>> {
    let (name, rest) = cut(text);
    let (ty, value) = rest.split_once(' ').unwrap_or((rest, ""));
    let (ty, value) = match ty {
        "int" => (Type::Int, Value::Int(value.parse()?)),
        "int64" => (Type::Int64, Value::Int(value.parse()?)),
        "uint64" => (Type::Uint64, Value::Int(value.parse()?)),
        "double" => (Type::Real, Value::Real(value.parse()?)),
        "bool" => (Type::Bool, Value::Bool(value.parse()?)),
        "string" => (Type::Any, Value::text(value)),
        _ => return Err("a type is int, int64, uint64, double, bool or string".into()),
    };
    Ok(Key { name: name.to_owned(), ty, value })
}
