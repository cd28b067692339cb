//! The lessons under `examples/` print what they say they print.

#[path = "../examples/t01_first_tree.rs"]
#[expect(dead_code, reason = "a lesson has a `main` of its own")]
mod t01_first_tree;
#[path = "../examples/t02_your_own_tool.rs"]
#[expect(dead_code, reason = "a lesson has a `main` of its own")]
mod t02_your_own_tool;

#[test]
fn t01_first_tree() {
    let mut out = Vec::new();
    t01_first_tree::lesson(&mut out).expect("the lesson ends well");
    insta::assert_snapshot!(String::from_utf8_lossy(&out), @r#"
    Sequence "enter"
    ├─ Fallback "open the door"
    │  ├─ IsOpen  door={door}
    │  ├─ RetryUntilSuccessful  num_attempts=3
    │  │  └─ TryKey  door={door}
    │  └─ Knock
    └─ AlwaysSuccess "walk in"

    IsOpen::3 failed: the door is locked
    TryKey::5 failed: the key is stuck

    [✓] Sequence "enter"
    ├─ [✓] Fallback "open the door"
    │  ├─ [✗] IsOpen  door={door}
    │  ├─ [✓] RetryUntilSuccessful  num_attempts=3
    │  │  └─ [✓] TryKey  door={door}
    │  └─ [·] Knock
    └─ [✓] AlwaysSuccess "walk in"

    SUCCESS, and the door is open
    "#);
}

#[tokio::test(start_paused = true)]
async fn t02_your_own_tool() {
    let mut out = Vec::new();
    t02_your_own_tool::lesson(&mut out).await.expect("the lesson ends well");
    insta::assert_snapshot!(String::from_utf8_lossy(&out), @r#"
    count the words -> result
    and in one word -> result
    success: true, the longest word is "handle"
    "#);
}
