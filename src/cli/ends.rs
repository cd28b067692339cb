//! How the programs of a run ended, and what was enforced on them.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value as Json;

use crate::backend::process::Reports;
use crate::harness::{End, Enforced, Report};
use crate::id::CallId;
use crate::run::RunReport;

/// The ends of programs by their calls; a run has as many as it has calls of programs.
#[derive(Debug, Default)]
pub(super) struct Ends(Mutex<BTreeMap<CallId, End>>);

impl Reports for Ends {
    fn ended(&self, call: CallId, end: &End) {
        self.all().insert(call, end.clone());
    }
}

impl Ends {
    fn all(&self) -> MutexGuard<'_, BTreeMap<CallId, End>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The end of a call's program; null for a call that had none.
    pub fn json(&self, call: CallId) -> Json {
        self.all().get(&call).map_or(Json::Null, End::to_json)
    }

    /// A row a tool: how many of its bounds hold whole, which in part, which not. The last call of a
    /// tool speaks for all, for what can be enforced does not change during a run.
    pub fn rows(&self, report: &RunReport) -> Vec<Vec<String>> {
        let ends = self.all();
        let tools: BTreeMap<_, _> = (report.calls.iter())
            .filter_map(|record| Some((&record.call.tool, &ends.get(&record.call.id)?.report)))
            .collect();
        tools.into_iter().map(|(tool, report)| row(tool.as_str(), report)).collect()
    }
}

fn row(tool: &str, report: &Report) -> Vec<String> {
    let named = |is: fn(&Enforced) -> bool| {
        report.iter().filter(|(_, it)| is(it)).map(|(bound, _)| bound.as_str()).collect::<Vec<_>>()
    };
    let listed = |word: &str, names: Vec<&str>| match names.is_empty() {
        true => String::new(),
        false => format!("{word}: {}", names.join(", ")),
    };
    vec![
        tool.to_owned(),
        listed("held", named(|it| matches!(it, Enforced::Fully))),
        listed("partly", named(|it| matches!(it, Enforced::Partly(_)))),
        listed("not", named(|it| matches!(it, Enforced::Not(_)))),
    ]
}
