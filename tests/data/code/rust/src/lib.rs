//! A ring buffer.

mod ring;

pub use ring::Ring;

/// How many items a ring holds at most.
pub const RING_MAX: usize = 16;

macro_rules! items {
    ($($item:item)*) => { $($item)* };
}

items! {
    /// Made inside a macro.
    #[derive(Debug)]
    pub struct Gauge<T> {
        level: T,
    }

    impl<T> Gauge<T> {
        pub fn read(&self) -> &T {
            &self.level
        }
    }
}

/// Fills a ring. The word Ring in "Ring" and here is no reference.
pub fn fill(ring: &mut Ring<u8>) {
    let text = "Ring";
    for item in 0..RING_MAX {
        ring.push(item as u8);
    }
    drop(text);
}
