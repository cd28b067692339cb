struct Ring;

fn fill() {}

#[test]
fn is_empty() {
    let _ = Ring;
    fill();
}
