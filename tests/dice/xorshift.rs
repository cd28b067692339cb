//! The dice.

/// Numbers that are as random as a seed makes them: xorshift.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    pub fn sometimes(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }
}
