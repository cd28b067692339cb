//! Names for integers, which an embedder gives to scripts, switches and number ports.

use std::collections::HashMap;

use crate::catalog::CatalogError;

/// The enum names that a tree may use. One table serves all enums, as in the reference: a name is
/// one number whoever asks.
#[derive(Clone, Debug, Default)]
pub(super) struct Enums {
    numbers: HashMap<Box<str>, i64>,
}

impl Enums {
    /// Adds a name; the same name with the same number again is no fault, because enums that share
    /// a name such as `NONE` are registered one after the other.
    pub fn add(&mut self, name: &str, number: i64) -> Result<(), CatalogError> {
        if !is_name(name) {
            return Err(CatalogError::enum_name(name));
        }
        match self.numbers.get(name) {
            Some(&known) if known != number => Err(CatalogError::enum_twice(name, [known, number])),
            Some(_) => Ok(()),
            None => {
                self.numbers.insert(name.into(), number);
                Ok(())
            }
        }
    }

    /// The number of a name. Most catalogs have none, and asking those costs no hash.
    #[inline]
    pub fn get(&self, name: &str) -> Option<i64> {
        if self.numbers.is_empty() { None } else { self.numbers.get(name).copied() }
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().map(|name| &**name)
    }
}

/// What a script reads as one plain name. The words of the language never get as far as an enum.
fn is_name(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(is_word)
        && !matches!(text, "true" | "false" | "null")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_number() {
        let mut enums = Enums::default();
        let mut add = |name, number| enums.add(name, number).map_err(|why| why.to_string());
        assert_eq!(add("RED", 1), Ok(()));
        assert_eq!(add("RED", 1), Ok(()));
        assert_eq!(
            add("RED", 2).unwrap_err(),
            "the enum name `RED` is 1 already and cannot be 2 too; give one of the two another name"
        );
        for bad in ["", "1st", "a b", "true", "@k", "a.b"] {
            assert!(add(bad, 0).is_err(), "{bad}");
        }
        assert_eq!((enums.get("RED"), enums.get("red")), (Some(1), None));
        assert_eq!(enums.names().collect::<Vec<_>>(), ["RED"]);
    }
}
