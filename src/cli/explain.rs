//! `helve explain`

use serde_json::{Value as Json, json};

use crate::cli::args::ExplainArgs;
use crate::cli::entry::Exit;
use crate::cli::out::Out;
use crate::cli::table::table;
use crate::diag::{Code, Diagnostic, Diagnostics, did_you_mean};
use crate::explain::{Page, find, page, pages};

pub(super) fn explain(args: &ExplainArgs, out: &mut Out) -> Result<Exit, Diagnostics> {
    match &args.code {
        None => list(args.json, out),
        Some(code) => one(look_up(code)?, args.json, out),
    }
    Ok(Exit::Success)
}

fn look_up(text: &str) -> Result<&'static Page, Diagnostic> {
    find(text).and_then(page).ok_or_else(|| {
        let known = Code::ALL.iter().flat_map(|code| [code.id(), code.slug()]);
        Diagnostic::new(Code::E0410, format!("there is no diagnostic `{text}`")).help(
            match did_you_mean(text, known) {
                Some(near) => format!("Did you mean `{near}`? `helve explain` lists all of them."),
                None => "`helve explain` lists all of them.".to_owned(),
            },
        )
    })
}

fn one(page: &Page, json: bool, out: &mut Out) {
    if json {
        return out.json(&page.to_json());
    }
    out.line(page.render(out.colour()));
}

fn list(json: bool, out: &mut Out) {
    if json {
        return out.json(&pages().iter().map(summary).collect());
    }
    let rows: Vec<_> = (pages().iter())
        .map(|page| vec![page.id.to_owned(), page.slug.to_owned(), page.summary().to_owned()])
        .collect();
    table(&rows).iter().for_each(|row| out.row(row));
}

fn summary(page: &Page) -> Json {
    json!({"code": page.id, "name": page.slug, "summary": page.summary()})
}
