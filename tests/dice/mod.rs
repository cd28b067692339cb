//! Numbers that are as random as a seed makes them, the same on every machine.

mod xorshift;

pub use xorshift::Dice;
