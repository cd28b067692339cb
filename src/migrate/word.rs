//! What is said about a conversion.

use std::sync::Arc;

use crate::diag::{Code, Diagnostic};
use crate::text::{Source, Span};

fn changed(source: &Arc<Source>, span: Span, message: String, label: &str) -> Diagnostic {
    Diagnostic::new(Code::W0201, message).at(source, span, label)
}

fn left(source: &Arc<Source>, span: Span, message: String) -> Diagnostic {
    Diagnostic::new(Code::W0202, message).at(source, span, "left as it is")
}

/// Sequences that remember; `count` of them, the first of which stands at `span`.
pub(super) fn sequence_star(source: &Arc<Source>, span: Span, count: usize) -> Diagnostic {
    let message = "`SequenceWithMemory` remembers its child over a halt".to_owned();
    let fault = changed(source, span, message, "was `SequenceStar`")
        .note("in version 3 a halt made it begin anew; in version 4 it goes on at the same child")
        .help("Look whether it can be halted before it is done; if it must then begin anew, version 4 has no equal.");
    match count {
        0 | 1 => fault,
        _ => fault.note(format!("the file has {count} of them")),
    }
}

/// A comparison that is made less often.
pub(super) fn blackboard_check(source: &Arc<Source>, span: Span, kind: &str) -> Diagnostic {
    changed(source, span, "`Precondition` looks once, before its child begins".to_owned(), "became `Precondition`")
        .note(format!("`{kind}` compared on every tick, and took a key that was never written for unequal"))
        .help(
            "If the values may change while the child runs, write `<ReactiveSequence> <ScriptCondition code=\"..\"/> .. </ReactiveSequence>`.",
        )
}

/// A blackboard that was shared.
pub(super) fn shared(source: &Arc<Source>, span: Span) -> Diagnostic {
    let message = "a shared blackboard became a blackboard of its own with `_autoremap`".to_owned();
    changed(source, span, message, "became `_autoremap`")
        .note("keys that begin with `_` stay inside the subtree in version 4")
        .help("Rename such a key if both trees use it.")
}

/// A remapping beside a shared blackboard.
pub(super) fn remap_unused(source: &Arc<Source>, span: Span, name: &str) -> Diagnostic {
    left(source, span, format!("`{name}` did nothing beside a shared blackboard"))
        .note("version 4 gives the subtree this value under that name")
        .help("Remove it if that is not meant, or write `{key}` to name a key of the tree around it.")
}

/// A remapping in braces already.
pub(super) fn remap_braced(source: &Arc<Source>, span: Span, value: &str) -> Diagnostic {
    left(source, span, format!("the remapping to `{value}` has its braces already"))
        .note("version 3 wrote the key without braces in `SubTree`, and took this for an odd key")
        .help("Look whether the subtree shall now see the value, which it did not before.")
}

/// A remapping to something that hardly is a key.
pub(super) fn remap_doubtful(source: &Arc<Source>, span: Span, value: &str) -> Diagnostic {
    changed(source, span, format!("`{value}` is taken for the name of a key"), "braces were put around it")
        .note("version 3 read every value of a `SubTree` as the name of a key")
        .help("Take the braces away if the text itself is meant, which version 4 allows.")
}

/// A switch that is no truth value.
pub(super) fn no_switch(source: &Arc<Source>, span: Span, name: &str) -> Diagnostic {
    left(source, span, format!("the value of `{name}` is not true or false"))
        .note("only a literal can be converted: version 4 writes this as another attribute")
        .help("Write `_autoremap=\"true\"`, or nothing, in its place.")
}

/// A comparison that cannot be a script.
pub(super) fn no_script(source: &Arc<Source>, span: Span, kind: &str, why: &str) -> Diagnostic {
    left(source, span, format!("`{kind}` cannot be converted: {why}"))
        .note("version 4 compares in scripts, which know keys that are names, numbers and `'text'`")
        .help("Write `<Precondition if=\"..\" else=\"FAILURE\">` by hand.")
}

/// A node that version 4 does not have.
pub(super) fn node_removed(source: &Arc<Source>, span: Span, kind: &str, instead: &str) -> Diagnostic {
    left(source, span, format!("version 4 has no `{kind}`"))
        .note("it has no single equal there")
        .help(instead)
}

/// A port with a name that version 4 keeps for itself.
pub(super) fn reserved(source: &Arc<Source>, span: Span, name: &str) -> Diagnostic {
    left(source, span, format!("`{name}` is the script of a condition in version 4"))
        .note("version 3 read it as a port of the node")
        .help("Give the port another name, in the node too.")
}

/// A port whose new name is taken.
pub(super) fn port_taken(source: &Arc<Source>, span: Span, old: &str, new: &str) -> Diagnostic {
    left(source, span, format!("`{old}` is called `{new}` in version 4, and that is given too"))
        .note("an element has at most one attribute of a name")
        .help("Remove one of the two.")
}
