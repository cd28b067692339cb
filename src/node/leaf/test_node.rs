//! Answers as a rule says, in the place of another leaf.

use crate::catalog::{Class, Kind, NodeManifest};
use crate::node::{Behavior, Halt, NodeContext, PortFault, Step, Then};

/// Running until its delay is over, then what it was told to answer. An answer says that the time
/// has come: the engine then asks the status script and runs the others, for only it runs scripts.
///
/// Which ports there are is up to the leaf that it stands for, so it is in no catalog.
pub(crate) struct TestNode;

impl Behavior for TestNode {
    fn manifest() -> NodeManifest {
        NodeManifest::builtin("TestNode", Kind::TestNode, Class::Action, "Answers as a rule says.")
    }

    fn enter(cx: &mut NodeContext<'_>) -> Result<Step, PortFault> {
        let (tree, id) = (cx.tree, cx.id);
        let test = tree.test_node(id);
        let answer = Step::new(Halt::Nothing, Then::keeping(test.status));
        if !std::mem::replace(&mut cx.state().started, true) {
            if test.delay.is_zero() {
                return Ok(answer);
            }
            let at = cx.now() + test.delay;
            cx.set_timer(at);
            return Ok(Step::RUNNING);
        }
        // Without a delay it can only have been told to answer Running: it did, and goes on.
        let goes_on = test.delay.is_zero() || cx.is_waiting();
        Ok(if goes_on { Step::RUNNING } else { answer })
    }
}
