//! Files broken at random: the one way in which fuzz loops do it.

use proptest::prelude::*;
use proptest::sample::{Index, select};

/// What is done to the bytes at one place.
#[derive(Clone, Debug)]
pub enum Edit {
    /// A bit is turned over.
    Flip(u8),
    /// Some bytes give way to a piece.
    Splice(usize, Vec<u8>),
    /// Everything behind is lost.
    Cut,
    /// Some bytes stand there twice.
    Double(usize),
    /// The piece stands there many times.
    Many(Vec<u8>, usize),
}

/// One of the files with a few edits; pieces are what its language is made of.
pub fn mutated(
    files: Vec<Vec<u8>>,
    pieces: impl Strategy<Value = Vec<u8>> + Clone + 'static,
) -> impl Strategy<Value = Vec<u8>> {
    let edit = prop_oneof![
        1 => (0..8_u8).prop_map(|bit| Edit::Flip(1 << bit)),
        6 => (0..12_usize, pieces.clone()).prop_map(|(cut, piece)| Edit::Splice(cut, piece)),
        1 => Just(Edit::Cut),
        1 => (1..200_usize).prop_map(Edit::Double),
        1 => (pieces, 2..60_usize).prop_map(|(piece, times)| Edit::Many(piece, times)),
    ];
    let edits = prop::collection::vec((any::<Index>(), edit), 1..5);
    (select(files), edits).prop_map(|(mut bytes, edits)| {
        for (place, edit) in &edits {
            let start = place.index(bytes.len() + 1);
            apply(&mut bytes, start, edit);
        }
        bytes
    })
}

fn apply(bytes: &mut Vec<u8>, start: usize, edit: &Edit) {
    let end = |length: &usize| (start + length).min(bytes.len());
    match edit {
        Edit::Flip(bit) => bytes.iter_mut().skip(start).take(1).for_each(|byte| *byte ^= bit),
        Edit::Splice(cut, piece) => drop(bytes.splice(start..end(cut), piece.iter().copied())),
        Edit::Cut => bytes.truncate(start),
        Edit::Double(length) => {
            let twice = bytes[start..end(length)].to_vec();
            bytes.splice(start..start, twice);
        }
        Edit::Many(piece, times) => drop(bytes.splice(start..start, piece.repeat(*times))),
    }
}
