//! What a yes holds for.

use std::fmt;

use crate::call::Call;
use crate::tool::FileChange;

/// A hash of the tool, the arguments as it gets them, and the files as they stand and as they would be left.
/// Two requests with one key are one question.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ApprovalKey(blake3::Hash);

impl ApprovalKey {
    /// The key of a call that would make these changes.
    pub fn of(call: &Call, changes: Option<&[FileChange]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut part = |bytes: &[u8]| {
            // Its length goes before each part, so that no two lists of parts look alike.
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        part(call.tool.as_str().as_bytes());
        // A map of `serde_json` is sorted by its names, so equal arguments have one text.
        part(serde_json::Value::Object((*call.arguments).clone()).to_string().as_bytes());
        part(if changes.is_some() { b"previewed" } else { b"unknown" });
        for change in changes.unwrap_or_default() {
            part(change.file().as_os_str().as_encoded_bytes());
            part(format!("{:?}", change.state_before()).as_bytes());
            part(format!("{:?}", change.state_after()).as_bytes());
        }
        Self(hasher.finalize())
    }
}

impl fmt::Display for ApprovalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_hex())
    }
}

impl fmt::Debug for ApprovalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ApprovalKey({self})")
    }
}

#[cfg(test)]
mod tests {

    use serde_json::json;

    use super::*;
    use crate::harness::RootPath;
    use crate::id::CallId;

    fn key(tool: &str, arguments: serde_json::Value, before: Option<Option<&str>>) -> ApprovalKey {
        let call = Call::new(CallId(1), tool, arguments.as_object().unwrap().clone());
        let change = before.map(|before| FileChange {
            root: "/r".into(),
            path: RootPath::parse("a.md").unwrap(),
            before: before.map(|text| text.as_bytes().into()),
            after: Some(b"new".as_slice().into()),
        });
        ApprovalKey::of(&call, change.as_ref().map(std::slice::from_ref))
    }

    #[test]
    fn a09_a_key_is_the_tool_the_arguments_and_the_state_of_the_files() {
        let one = || key("w", json!({"a": 1, "b": 2}), Some(Some("old")));
        assert_eq!(one(), key("w", json!({"b": 2, "a": 1}), Some(Some("old"))));
        let others = [
            key("v", json!({"a": 1, "b": 2}), Some(Some("old"))),
            key("w", json!({"a": 1, "b": "2"}), Some(Some("old"))),
            key("w", json!({"a": 1, "b": 2}), Some(Some("newer"))),
            key("w", json!({"a": 1, "b": 2}), Some(None)),
            key("w", json!({"a": 1, "b": 2}), None),
        ];
        assert!(others.iter().all(|other| *other != one()), "{others:?}");
    }
}
