//! Waits until a key has a value.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::node::{Behavior, NodeContext, PortFault, Step};
use crate::status::Status;
use crate::tree::Binding;
use crate::value::Type;

/// Success as soon as the key has a value, which a write from anywhere gives it; Failure when the time
/// is over. An extension of the dialect: for what comes from outside, an approval or an answer.
pub(crate) struct WaitFor;

const KEY: usize = 0;
const TIMEOUT: usize = 1;

impl Behavior for WaitFor {
    fn manifest() -> NodeManifest {
        let doc = "Waits until a key has a value; fails when that takes too long.";
        let key = PortManifest::input("key", Type::Any, "the key that is waited for").key();
        let timeout = "the limit in milliseconds; 0 is without end";
        let manifest = NodeManifest::builtin("WaitFor", Kind::WaitFor, Class::Action, doc)
            .with_ports([key, PortManifest::input("timeout_ms", Type::Uint, timeout).or("0")]);
        NodeManifest { extension: true, ..manifest }
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        let Binding::Slot(slot) = cx.tree.binding(cx.id, KEY) else {
            return Err(PortFault::new(cx.tree, cx.id, KEY, "it names no key".to_owned()));
        };
        if cx.value(KEY)?.is_some() {
            return Ok(Step::answer(Status::Success));
        }
        let limit = cx.millis(TIMEOUT)?;
        let is_over = cx.state().started && !cx.is_waiting() && !limit.is_zero();
        if is_over {
            let key = cx.tree.layout().slot(slot).key.clone();
            cx.because(|| format!("`{key}` got no value within {} ms", limit.as_millis()));
            return Ok(Step::answer(Status::Failure));
        }
        if !cx.state().started {
            cx.state().started = true;
            if !limit.is_zero() {
                let at = cx.now() + limit;
                cx.set_timer(at);
            }
        }
        cx.wait_for_write(KEY);
        Ok(Step::RUNNING)
    }
}
