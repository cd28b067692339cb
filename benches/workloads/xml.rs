//! A tree as a file of the dialect.

use std::fmt::Write;

use crate::shape::Shape;

/// The whole file.
pub fn file(body: &str) -> String {
    format!(
        "<root BTCPP_format=\"4\" main_tree_to_execute=\"Main\">\n<BehaviorTree ID=\"Main\">\n{body}</BehaviorTree>\n</root>\n"
    )
}

/// The elements of a tree.
pub fn elements(shape: &Shape) -> String {
    let mut xml = String::new();
    write(shape, &mut xml);
    xml
}

/// Groups of nine leaves with names and ports over a hundred keys: what is loaded, not ticked.
pub fn groups(nodes: usize) -> String {
    let mut xml = String::from("<Sequence name=\"root\">\n");
    let mut leaf = 0;
    for group in 0..nodes / 10 {
        add(&mut xml, format_args!("<Fallback name=\"group_{group}\">\n"));
        for _ in 0..9 {
            let (from, to) = (leaf % 100, (leaf + 1) % 100);
            add(&mut xml, format_args!("<Inc name=\"act_{leaf}\" in=\"{{k{from}}}\" out=\"{{k{to}}}\"/>\n"));
            leaf += 1;
        }
        xml.push_str("</Fallback>\n");
    }
    xml.push_str("</Sequence>\n");
    xml
}

/// One element around another, so deep.
pub fn nested(depth: usize) -> String {
    let (open, close) = ("<Sequence>\n", "</Sequence>\n");
    format!("{}<Run/>\n{}", open.repeat(depth - 1), close.repeat(depth - 1))
}

/// Leaves that wait, all at once, each as long as `msec` says.
pub fn parallel(leaves: usize, msec: impl Fn(usize) -> Option<usize>) -> String {
    let mut xml = format!("<Parallel success_count=\"{leaves}\" failure_count=\"1\">\n");
    for leaf in 0..leaves {
        match msec(leaf) {
            Some(msec) => add(&mut xml, format_args!("<Timer msec=\"{msec}\"/>\n")),
            None => xml.push_str("<Timer/>\n"),
        }
    }
    xml.push_str("</Parallel>\n");
    xml
}

fn write(shape: &Shape, xml: &mut String) {
    let (name, children) = match shape {
        Shape::Sequence(children) => ("Sequence", children),
        Shape::Fallback(children) => ("Fallback", children),
        Shape::ReactiveSequence(children) => ("ReactiveSequence", children),
        leaf => return write_leaf(leaf, xml),
    };
    add(xml, format_args!("<{name}>\n"));
    children.iter().for_each(|child| write(child, xml));
    add(xml, format_args!("</{name}>\n"));
}

fn write_leaf(leaf: &Shape, xml: &mut String) {
    match leaf {
        Shape::Fail => xml.push_str("<Fail/>\n"),
        Shape::Cond => xml.push_str("<Cond/>\n"),
        Shape::Run => xml.push_str("<Run/>\n"),
        Shape::Positive(n) => add(xml, format_args!("<ScriptCondition code=\"k{n} &gt; 0\"/>\n")),
        Shape::Inc(from, to) => add(xml, format_args!("<Inc in=\"{{k{from}}}\" out=\"{{k{to}}}\"/>\n")),
        Shape::CopyText(n) => add(xml, format_args!("<CpyS in=\"{{s{n}}}\" out=\"{{s{}}}\"/>\n", n + 1)),
        Shape::CopyJson(n) => add(xml, format_args!("<CpyJ in=\"{{j{n}}}\" out=\"{{j{}}}\"/>\n", n + 1)),
        Shape::Script(code) => add(xml, format_args!("<Script code=\"{}\"/>\n", escaped(code))),
        Shape::ScriptCondition(code) => {
            add(xml, format_args!("<ScriptCondition code=\"{}\"/>\n", escaped(code)));
        }
        _ => xml.push_str("<Succ/>\n"),
    }
}

fn escaped(code: &str) -> String {
    code.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

fn add(xml: &mut String, text: std::fmt::Arguments<'_>) {
    xml.write_fmt(text).expect("a String takes everything");
}
