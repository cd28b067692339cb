use std::fmt;

/// A ring of items.
///
/// It drops the oldest.
#[derive(Clone)]
pub struct Ring<T> {
    items: Vec<T>,
}

impl<T> Ring<T> {
    /// An empty ring.
    pub fn new() -> Self {
        Self { items: Vec::new() }
    }

    pub fn push(
        &mut self,
        item: T,
    ) -> usize
    where
        T: Sized,
    {
        self.items.push(item);
        self.items.len()
    }
}

pub enum Order {
    Oldest,
    Newest,
}

pub trait Drain {
    type Item;
    fn drain(&mut self) -> Vec<Self::Item>;
}

impl<T> Drain for Ring<T> {
    type Item = T;

    fn drain(&mut self) -> Vec<T> {
        std::mem::take(&mut self.items)
    }
}

impl<T> fmt::Debug for Ring<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ring")
    }
}
