//! What a call may take of the machine, and what was seen of it: where a caller that sets limits and
//! a backend that can enforce them meet.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::harness::{End, Report, Used};

/// What one call may take; `None` for what nobody has said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    /// The share of the processors, in thousandths of one.
    pub cpu_millicores: Option<u64>,
    /// Memory, in mebibytes.
    pub memory_mb: Option<u64>,
}

/// What a call may take, and the book in which a backend writes what it enforced. Clones share the
/// book; the default has none, and allows what a tool's manifest allows.
#[derive(Clone, Debug, Default)]
pub struct Account {
    /// What the call may take, before what the manifest of its tool says.
    pub allowance: Allowance,
    book: Option<Arc<Book>>,
}

#[derive(Debug, Default)]
struct Book {
    /// Sandboxes that are alive.
    open: watch::Sender<usize>,
    spent: Mutex<Option<Spent>>,
}

/// What was enforced on the sandboxes of a call and what they took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    /// What was enforced on the last one.
    pub report: Report,
    /// The processor time of all of them, and the most memory that one had.
    pub used: Used,
}

impl Account {
    /// An account with a book.
    pub fn kept(allowance: Allowance) -> Self {
        Self { allowance, book: Some(Arc::default()) }
    }

    /// A sandbox begins its life, which lasts until the answer is closed or dropped.
    pub fn open(&self) -> Sandbox {
        if let Some(book) = &self.book {
            book.open.send_modify(|open| *open += 1);
        }
        Sandbox { book: self.book.clone() }
    }

    /// What was spent so far; `None` when nothing ran in a sandbox of its own.
    pub fn spent(&self) -> Option<Spent> {
        self.book.as_ref().and_then(|book| book.spent().clone())
    }

    /// Waits until no sandbox of the call is alive.
    pub async fn settled(&self) {
        if let Some(book) = &self.book {
            // Fails only when the book is gone, and it is held here.
            let _ = book.open.subscribe().wait_for(|open| *open == 0).await;
        }
    }
}

impl PartialEq for Account {
    /// The same allowance and the same book.
    fn eq(&self, other: &Self) -> bool {
        let same_book = match (&self.book, &other.book) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        same_book && self.allowance == other.allowance
    }
}

impl Eq for Account {}

impl Book {
    fn spent(&self) -> MutexGuard<'_, Option<Spent>> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A sandbox that is alive.
#[derive(Debug)]
pub struct Sandbox {
    book: Option<Arc<Book>>,
}

impl Sandbox {
    /// The sandbox has ended so.
    pub fn close(self, end: &End) {
        let Some(book) = &self.book else { return };
        let mut spent = book.spent();
        let before = spent.as_ref().map(|spent| spent.used).unwrap_or_default();
        let used = Used {
            cpu: before.cpu + end.used.cpu,
            memory_bytes: before.memory_bytes.max(end.used.memory_bytes),
        };
        *spent = Some(Spent { report: end.report.clone(), used });
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Some(book) = &self.book {
            book.open.send_modify(|open| *open = open.saturating_sub(1));
        }
    }
}
