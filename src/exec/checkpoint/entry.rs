//! One checkpoint as a file. The shape is a promise: a change that an older reader would misread
//! raises [`VERSION`].

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::harness::{FileState, RootError, RootPath};

/// The version of the shape that this helve writes and reads.
const VERSION: u32 = 1;

/// One checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    version: u32,
    /// When, as RFC 3339; empty where nobody gave a date.
    pub at: String,
    pub tool: String,
    pub caller: String,
    pub approved_by: String,
    pub because: String,
    /// The hash of what the permission was given for.
    pub key: String,
    /// The checkpoint whose restoring this one was made before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// Whether `after` is how the call left the files, and not how it was foreseen to.
    pub sealed: bool,
    pub files: Vec<EntryFile>,
    /// The folders that the call made. An older reader leaves them behind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folders: Vec<PathBuf>,
}

/// One file of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct EntryFile {
    pub root: PathBuf,
    path: String,
    before: String,
    after: String,
    pub added: usize,
    pub removed: usize,
}

impl Entry {
    pub fn new(files: Vec<EntryFile>) -> Self {
        Self {
            version: VERSION,
            at: String::new(),
            tool: String::new(),
            caller: String::new(),
            approved_by: String::new(),
            because: String::new(),
            key: String::new(),
            undoes: None,
            sealed: false,
            files,
            folders: Vec::new(),
        }
    }

    /// Reads an entry; the reason when it is none.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let entry: Self = serde_json::from_slice(bytes).map_err(|fault| format!("it is damaged: {fault}"))?;
        if entry.version != VERSION {
            return Err(format!("it is of version {}, and this helve reads {VERSION}", entry.version));
        }
        for file in &entry.files {
            file.path().map_err(|fault| format!("it is damaged: {fault}"))?;
            if !file.root.is_absolute() || parse(&file.before).is_none() || parse(&file.after).is_none() {
                return Err("it is damaged: a file has no absolute root, or no hashes".to_owned());
            }
        }
        if !entry.folders.iter().all(|folder| folder.is_absolute()) {
            return Err("it is damaged: a folder has no absolute path".to_owned());
        }
        Ok(entry)
    }

    pub fn write(&self) -> Vec<u8> {
        let mut text = format!("{:#}", serde_json::json!(self)).into_bytes();
        text.push(b'\n');
        text
    }
}

impl EntryFile {
    pub fn new(root: PathBuf, path: &RootPath, before: FileState, after: FileState) -> Self {
        let (before, after) = (words(before), words(after));
        Self { root, path: path.as_str().to_owned(), before, after, added: 0, removed: 0 }
    }

    pub fn path(&self) -> Result<RootPath, RootError> {
        RootPath::parse(&self.path)
    }

    /// The absolute path of the file, for people and for comparing.
    pub fn file(&self) -> PathBuf {
        self.path().map_or_else(
            |_| self.root.clone(),
            |path| path.parts().fold(self.root.clone(), |folder, part| folder.join(part)),
        )
    }

    pub fn before(&self) -> FileState {
        parse(&self.before).unwrap_or(FileState::Other)
    }

    pub fn after(&self) -> FileState {
        parse(&self.after).unwrap_or(FileState::Other)
    }

    pub fn set_after(&mut self, state: FileState) {
        self.after = words(state);
    }

    /// The name of the content before, when there was a file.
    pub fn content(&self) -> Option<blake3::Hash> {
        match self.before() {
            FileState::Content(hash) => Some(hash),
            FileState::Absent | FileState::Other => None,
        }
    }
}

fn words(state: FileState) -> String {
    match state {
        FileState::Absent => "absent".to_owned(),
        FileState::Other => "other".to_owned(),
        FileState::Content(hash) => hash.to_hex().to_string(),
    }
}

fn parse(words: &str) -> Option<FileState> {
    match words {
        "absent" => Some(FileState::Absent),
        "other" => Some(FileState::Other),
        hash => blake3::Hash::from_hex(hash).ok().map(FileState::Content),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Entry {
        let path = RootPath::parse("a/b.md").unwrap();
        Entry::new(vec![EntryFile::new("/r".into(), &path, FileState::of(Some(b"old")), FileState::Absent)])
    }

    #[test]
    fn an_entry_reads_back_as_it_was_written() {
        assert_eq!(Entry::read(&entry().write()), Ok(entry()));
        assert_eq!(entry().files[0].file(), PathBuf::from("/r/a/b.md"));
        assert_eq!(entry().files[0].content(), Some(blake3::hash(b"old")));
    }

    #[test]
    fn a_damaged_entry_says_so_and_a_path_that_leaves_is_damage() {
        let check = |from: &str, to: &str, why: &str| {
            let text = String::from_utf8(entry().write()).unwrap().replace(from, to);
            let fault = Entry::read(text.as_bytes()).unwrap_err();
            assert!(fault.contains(why), "{fault}");
        };
        check("{", "", "it is damaged");
        check("\"version\": 1", "\"version\": 2", "it is of version 2, and this helve reads 1");
        check("a/b.md", "../b.md", "`../b.md` leaves its root folder");
        check("\"/r\"", "\"r\"", "no absolute root");
        check("\"files\"", "\"folders\": [\"a\"], \"files\"", "a folder has no absolute path");
        check("\"absent\"", "\"0123\"", "no hashes");
    }
}
