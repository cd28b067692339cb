//! `--set KEY=VALUE`

use crate::convert;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::id::ScopeId;
use crate::tree::Tree;
use crate::value::{Type, Value};

/// A key with the value that it is given.
pub(super) type Setting = (String, Value);

/// Reads all settings and looks whether nothing is missing.
pub(super) fn settings(tree: &Tree, given: &[String]) -> Result<Vec<Setting>, Diagnostics> {
    let mut faults = Diagnostics::new();
    let mut settings = Vec::new();
    for text in given {
        match setting(tree, text) {
            Ok(setting) => settings.push(setting),
            Err(fault) => faults.push(fault),
        }
    }
    for fault in missing(tree, &settings, given) {
        faults.push(fault);
    }
    if faults.is_empty() { Ok(settings) } else { Err(faults) }
}

fn setting(tree: &Tree, text: &str) -> Result<Setting, Diagnostic> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(Diagnostic::new(Code::E0408, format!("`--set {text}` sets nothing"))
            .note("there is no `=` in it")
            .help(format!("Write `--set {text}=VALUE`.")));
    };
    let Some(slot) = tree.slot(key) else { return Err(unknown(tree, key)) };
    let ty = tree.layout().slot(slot).ty;
    match read(value, ty) {
        Ok(value) => Ok((key.to_owned(), value)),
        Err(fault) => Err(Diagnostic::new(Code::E0402, format!("the key `{key}` does not take {value:?}"))
            .note(fault.to_string())
            .help(format!("`{key}` has the type {ty}."))),
    }
}

/// A value as the key's type reads it. Without a type, numbers, truth values, arrays and objects
/// are what they look like; a text need not be quoted.
fn read(text: &str, ty: Type) -> Result<Value, convert::ConvertFault> {
    if ty != Type::Any {
        return convert::from_text(text, ty);
    }
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(serde_json::Value::String(_)) | Err(_) => Ok(Value::text(text)),
        Ok(json) => Ok(Value::from_json(json)),
    }
}

fn unknown(tree: &Tree, key: &str) -> Diagnostic {
    let keys: Vec<_> = tree.layout().own_keys(ScopeId::new(0)).into_iter().map(|(key, _)| &**key).collect();
    let inputs: Vec<_> = tree.inputs().iter().map(|input| &*input.key).collect();
    let has = match (inputs.is_empty(), keys.is_empty()) {
        (false, _) => format!("its inputs are {}", inputs.join(", ")),
        (true, false) => format!("its keys are {}", keys.join(", ")),
        (true, true) => "it has no keys".to_owned(),
    };
    let near = did_you_mean(key, keys.iter().copied());
    Diagnostic::new(Code::E0401, format!("the tree `{}` knows no key `{key}`", tree.name())).note(has).help(
        match near {
            Some(near) => format!("Did you mean `{near}`?"),
            None => "Set one of its keys.".to_owned(),
        },
    )
}

/// The keys that a leaf needs and that neither the tree nor a setting gives.
fn missing(tree: &Tree, settings: &[Setting], given: &[String]) -> Vec<Diagnostic> {
    // A setting that could not be read has been complained of already.
    let is_given = |key: &str| {
        settings.iter().any(|(set, _)| set == key)
            || given.iter().any(|text| text.split('=').next() == Some(key))
    };
    (tree.layout().unfed())
        .filter_map(|unfed| {
            let slot = tree.layout().slot(unfed.slot);
            let is_main = slot.scope == ScopeId::new(0);
            if is_main && is_given(&slot.key) {
                return None;
            }
            let place = tree.place(unfed.node);
            let port = tree.manifest(unfed.node).ports.get(unfed.port as usize).map_or("", |port| &port.name);
            let fault = Diagnostic::new(Code::E0403, format!("nothing gives the key `{}` a value", slot.key))
                .at(&place.source, place.span, format!("`{port}` reads it"));
            let doc =
                tree.inputs().iter().find(|input| input.key == slot.key).map_or("", |input| &*input.doc);
            let fault = if doc.is_empty() { fault } else { fault.note(format!("`{}` is {doc}", slot.key)) };
            Some(match is_main {
                true => fault.help(format!("Add `--set {}=VALUE`.", slot.key)),
                false => fault.help(format!("Give it where the subtree is used: `{}=\"...\"`.", slot.key)),
            })
        })
        .collect()
}
