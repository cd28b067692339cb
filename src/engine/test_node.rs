//! Leaves that stand for others in a test: the answer and the scripts after it.

use crate::catalog::Kind;
use crate::engine::guard::ScriptEnv;
use crate::engine::{Fault, Walk};
use crate::expr::{Assign, Env, NameId};
use crate::id::NodeId;
use crate::node;
use crate::status::Status;
use crate::tree::TestNode;
use crate::value::Value;

/// The statuses by the numbers that scripts of the reference know them by.
const NUMBERED: [Status; 5] =
    [Status::Idle, Status::Running, Status::Success, Status::Failure, Status::Skipped];

impl Walk<'_> {
    pub(super) fn visit_test_node(&mut self, id: NodeId) -> Result<Status, Fault> {
        let before = self.status(id);
        if before.is_completed() {
            // Not reset by its parent since: the answer stands.
            return Ok(before);
        }
        let step = node::enter(Kind::TestNode, self.context(id));
        let step = step.map_err(|fault| Self::fault(id, fault))?;
        if !step.then.keeps() {
            return Ok(Status::Running);
        }
        let planned = step.then.status();
        let tree = self.tree;
        let test = tree.test_node(id);
        let status = self.ask_status(id, test)?.unwrap_or(planned);
        for (field, script) in test.scripts_after(status) {
            let answer = script.program.execute(&mut ScriptEnv::new(self, script, id));
            answer.map_err(|fault| test_fault(id, test, field, fault))?;
        }
        if status == Status::Failure {
            self.run.reason = Some(format!("TestNode `{}` was told to fail", test.name).into());
        }
        if status != Status::Running {
            self.context(id).clear();
        }
        Ok(status)
    }

    /// What the status script of a test node says; `None` when there is none.
    fn ask_status(&mut self, id: NodeId, test: &TestNode) -> Result<Option<Status>, Fault> {
        const FIELD: &str = "return_status_script";
        let Some(script) = test.status_script() else { return Ok(None) };
        let mut env = StatusEnv(ScriptEnv::new(self, script, id));
        let value = script.program.run(&mut env).map_err(|fault| test_fault(id, test, FIELD, fault))?;
        match status_of(&value) {
            Some(status) => Ok(Some(status)),
            None => Err(test_fault(id, test, FIELD, format!("{value} is no status to answer with"))),
        }
    }
}

fn test_fault(id: NodeId, test: &TestNode, field: &str, why: impl std::fmt::Display) -> Fault {
    Walk::fault(id, format!("TestNode `{}`, `{field}`: {why}", test.name))
}

/// A status by its name or its number; Idle is no answer.
fn status_of(value: &Value) -> Option<Status> {
    let status = match value {
        Value::Text(name) => Status::parse(name),
        Value::Int(number) => usize::try_from(*number).ok().and_then(|it| NUMBERED.get(it).copied()),
        Value::Real(number) => {
            NUMBERED.into_iter().zip(0_u8..).find(|it| f64::from(it.1) == *number).map(|it| it.0)
        }
        _ => None,
    };
    status.filter(|status| *status != Status::Idle)
}

/// The keys of a script, where the names of the statuses are numbers.
struct StatusEnv<'w, 'e>(ScriptEnv<'w, 'e>);

impl Env for StatusEnv<'_, '_> {
    fn read(&self, name: NameId) -> Option<&Value> {
        self.0.read(name)
    }

    fn write(&mut self, name: NameId, value: Value, mode: Assign) -> Result<(), String> {
        self.0.write(name, value, mode)
    }

    fn enum_of(&self, name: NameId) -> Option<i64> {
        self.enum_value(self.0.text(name))
    }

    fn enum_value(&self, text: &str) -> Option<i64> {
        let number = NUMBERED.iter().zip(0_i64..).find(|(status, _)| status.as_str() == text);
        number.map(|(_, number)| number).or_else(|| self.0.enum_value(text))
    }
}
