//! A folder with one program in it, made into a tool and called through the executor.

mod rig;

pub use rig::{Rig, failure, is_alive, output};
