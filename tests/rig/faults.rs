//! What must hold of every diagnostic, whatever it is about.

use helve::diag::{Diagnostics, Label};

/// Every place lies inside its text, on character borders, and everything can be drawn.
pub fn hold(faults: &Diagnostics) {
    for fault in faults.iter() {
        let mut labels = fault.primary.iter().chain(&fault.secondary);
        let is_inside = |it: &Label| it.source.text().get(it.span.range()).is_some();
        assert!(labels.all(is_inside), "{fault}: a place outside of its text");
        assert!(!fault.message.is_empty() && !fault.to_string().contains('\0'));
        fault.to_json();
    }
    assert!(faults.is_empty() || !faults.render(false).is_empty());
}
