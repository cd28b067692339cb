//! Trees of BehaviorTree.CPP version 3 as trees of version 4.
//!
//! The text is edited where it must change and stays as it is everywhere else, so that a person can
//! review the difference. What version 4 does differently is a warning at its place
//! ([`W0201`](crate::diag::Code::W0201)); what has no equal there is left as it is, with a warning
//! that says what to do ([`W0202`](crate::diag::Code::W0202)).
//!
//! | version 3 | version 4 |
//! |---|---|
//! | `<root>` | `<root BTCPP_format="4">` |
//! | `<SubTreePlus ID="T" __autoremap="1" a="{b}"/>` | `<SubTree ID="T" _autoremap="1" a="{b}"/>` |
//! | `<SubTree ID="T" a="b"/>` | `<SubTree ID="T" a="{b}"/>` |
//! | `<SubTree ID="T" __shared_blackboard="true"/>` | `<SubTree ID="T" _autoremap="true"/>` |
//! | `<T/>`, where `T` is a tree of the file | `<SubTree ID="T"/>` |
//! | `SequenceStar` | `SequenceWithMemory` |
//! | `RetryUntilSuccesful` | `RetryUntilSuccessful` |
//! | `<Parallel success_threshold="1" failure_threshold="2">` | `<Parallel success_count="1" failure_count="2">` |
//! | `<BlackboardCheckInt value_A="{a}" value_B="4">` | `<Precondition if="a == 4">` |
//! | `goal="${key}"` | `goal="{key}"` |
//! | `SetBlackboard` | the same; version 4 has it too, and stores text as version 3 did |
//!
//! A file that declares version 4 already is changed only where it uses a name that version 4 does
//! not have: `SubTreePlus`, `SequenceStar` and their like have one meaning wherever they stand.
//!
//! | file | holds |
//! |---|---|
//! | `convert` | [`to_v4`]: the walk over a document |
//! | `edit` | changes to a text, made at once |
//! | `node` | a node in its two spellings, names that changed |
//! | `subtree` | remapping |
//! | `blackboard_check` | comparisons as scripts |
//! | `sign` | what shows that a text is of version 3 |
//! | `word` | what is said about all that |

mod blackboard_check;
mod convert;
mod edit;
mod node;
mod sign;
mod subtree;
mod word;

pub use convert::{Migration, to_v4};
pub(crate) use sign::{command, help_for_attribute, help_for_node, looks_old};
