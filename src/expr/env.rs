//! What a program asks of the place it runs in.

use super::program::NameId;
use crate::value::Value;

/// How an assignment meets its entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Assign {
    /// `:=` makes the entry when there is none.
    Create,
    /// `=`, `+=` and their kin need an entry.
    Existing,
}

/// The entries that a program reads and writes.
pub trait Env {
    /// The value under a name; `None` when there is no such entry or it is empty.
    fn read(&self, name: NameId) -> Option<&Value>;

    /// Puts a value under a name. To convert it into the kind that the entry already has is the
    /// work of the implementor; the error says why that cannot be done. The value of the
    /// assignment is what [`read`](Self::read) then gives. Programs that assign nothing never call it.
    fn write(&mut self, name: NameId, value: Value, mode: Assign) -> Result<(), String> {
        let _ = (name, value, mode);
        Err("nothing can be assigned here".into())
    }

    /// Puts a computed integer under a name whose entry holds an integer; answers whether it does. Where it
    /// answers no, [`write`](Self::write) gets the number as the double that it is computed as, which an
    /// entry of integers would only take back to the same integer.
    fn write_int(&mut self, name: NameId, int: i64) -> bool {
        let _ = (name, int);
        false
    }

    /// The number that a name stands for when it is the name of an enum; it hides an entry of the
    /// same name from whoever reads. It is asked at every reading, so it is best looked up
    /// ([`enum_value`](Self::enum_value)) when the program is loaded.
    fn enum_of(&self, name: NameId) -> Option<i64> {
        let _ = name;
        None
    }

    /// The number of the enum of that name: what a text that holds it counts as next to a number.
    fn enum_value(&self, text: &str) -> Option<i64> {
        let _ = text;
        None
    }
}
