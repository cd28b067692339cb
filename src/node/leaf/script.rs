//! What the leaves say of themselves that the engine visits: those that run scripts, and those
//! that write keys. `engine/script.rs` does their work.

use crate::catalog::{Class, Kind, NodeManifest, PortManifest};
use crate::value::Type;

/// The manifests of `Script`, `ScriptCondition`, `SetBlackboard` and `UnsetBlackboard`.
pub(crate) fn manifests() -> [NodeManifest; 4] {
    let code = || PortManifest::input("code", Type::Text, "the script").script();
    let condition = "Succeeds when a script is true, else fails.";
    let key = |name, doc| PortManifest::output(name, Type::Any, doc).key().needed();
    [
        NodeManifest::builtin("Script", Kind::Script, Class::Action, "Runs a script.").with_ports([code()]),
        NodeManifest::builtin("ScriptCondition", Kind::ScriptCondition, Class::Condition, condition)
            .with_ports([code()]),
        NodeManifest::builtin("SetBlackboard", Kind::SetBlackboard, Class::Action, "Writes a key.")
            .with_ports([
                PortManifest::input(
                    "value",
                    Type::Any,
                    "a value, or the key whose value and type are copied",
                ),
                key("output_key", "the key that is written"),
            ]),
        NodeManifest::builtin(
            "UnsetBlackboard",
            Kind::UnsetBlackboard,
            Class::Action,
            "Takes the value of a key away.",
        )
        .with_ports([key("key", "the key")]),
    ]
}
