//! The words for everything that can be wrong with an include.

use std::sync::Arc;

use crate::diag::{Code, Diagnostic, did_you_mean};
use crate::loader::LoadFault;
use crate::text::{Source, Span};
use crate::tree::include::IncludeLimits;
use crate::tree::include::request::Request;
use crate::xml::{Attribute, Element};

/// The form of an include, for those that have another.
const FORM: &str = "Write `<include path=\"other.xml\"/>`, relative to this file.";

/// An include that stands inside a tree.
pub(in crate::tree) fn misplaced(source: &Arc<Source>, span: Span) -> Diagnostic {
    Diagnostic::new(Code::E0125, "an include does not stand inside a tree")
        .at(source, span, "not here")
        .note("it brings whole trees, which are then used by their ID")
        .help("Move it directly under `<root>`, and use a tree of that file by `<SubTree ID=\"...\"/>`.")
}

pub(super) fn no_path(source: &Arc<Source>, include: Element<'_>) -> Diagnostic {
    let near = did_you_mean("path", include.attributes().map(|it| it.name()))
        .or(include.attributes().map(|it| it.name()).find(|name| matches!(*name, "file" | "href" | "src")));
    Diagnostic::new(Code::E0125, "an include without a `path`")
        .at(source, include.start_tag_span(), "which file?")
        .help(near.map_or_else(|| FORM.to_owned(), |near| format!("Write `path` instead of `{near}`.")))
}

pub(super) fn empty_path(source: &Arc<Source>, path: Attribute<'_>) -> Diagnostic {
    Diagnostic::new(Code::E0125, "the path of an include is empty")
        .at(source, path.value_span(), "which file?")
        .help(FORM)
}

pub(super) fn package(source: &Arc<Source>, package: Attribute<'_>) -> Diagnostic {
    let message = format!("the ROS package `{}` cannot be looked up", package.value());
    Diagnostic::new(Code::E0125, message)
        .at(source, package.name_span(), "not known here")
        .note("packages are found by a ROS installation, and no such thing is asked here")
        .help("Remove `ros_pkg`, and write the path of the file relative to this one.")
}

/// A file that its loader does not have.
pub(super) fn unavailable(request: &Request, fault: &LoadFault, limits: &IncludeLimits) -> Diagnostic {
    let path = &request.path;
    let (code, message, label) = match fault {
        LoadFault::Missing { .. } => (Code::E0128, format!("there is no file `{path}`"), "not there"),
        LoadFault::Outside { .. } => {
            (Code::E0129, format!("the file `{path}` lies outside of the allowed folders"), "not allowed")
        }
        LoadFault::TooLarge => return too_large(request, limits.bytes),
        LoadFault::Unreadable { .. } => {
            (Code::E0128, format!("the file `{path}` cannot be read"), "not readable")
        }
        LoadFault::Nowhere => {
            (Code::E0128, format!("the file `{path}` cannot be looked for"), "relative to what?")
        }
    };
    let (note, help) = reason(path, fault);
    let fault = Diagnostic::new(code, message).at(&request.source, request.span, label).help(help);
    match note {
        Some(note) => fault.note(note),
        None => fault,
    }
}

/// Bytes that are no text. Where in them may not be known.
pub(super) fn no_text(request: &Request, fault: Diagnostic) -> Diagnostic {
    let label = "included here";
    match fault.primary {
        Some(_) => fault.and_at(&request.source, request.span, label),
        None => fault.at(&request.source, request.span, label),
    }
}

/// A main file that its loader does not have.
pub(in crate::tree) fn unreadable(path: &str, fault: &LoadFault) -> Diagnostic {
    let (note, help) = reason(path, fault);
    let fault = Diagnostic::new(Code::E0001, format!("the file `{path}` cannot be read")).help(help);
    match note {
        Some(note) => fault.note(note),
        None => fault,
    }
}

/// Why, when there is more to say than the message does, and what to do next.
fn reason(path: &str, fault: &LoadFault) -> (Option<String>, String) {
    match fault {
        LoadFault::Missing { near: Some(near) } => (None, format!("Did you mean `{near}`?")),
        LoadFault::Missing { near: None } if path.contains('\\') => {
            (None, format!("Parts of a path are joined by `/`: `{}`.", path.replace('\\', "/")))
        }
        LoadFault::Missing { near: None } => (
            Some("a path is relative to the file that it is written in".to_owned()),
            "Check the path.".to_owned(),
        ),
        LoadFault::Outside { why, help } | LoadFault::Unreadable { why, help } => {
            (Some(why.clone()), help.clone())
        }
        LoadFault::TooLarge => (Some("it is too large".to_owned()), "Split it.".to_owned()),
        LoadFault::Nowhere => (
            Some("the text was given without a place, so its includes have none either".to_owned()),
            "Load it from its file, or give it a loader.".to_owned(),
        ),
    }
}

fn bound(request: &Request, message: String, help: &str) -> Diagnostic {
    Diagnostic::new(Code::E0131, message)
        .at(&request.source, request.span, "the bound is reached here")
        .help(help)
}

pub(super) fn too_large(request: &Request, most: usize) -> Diagnostic {
    bound(
        request,
        format!("the files of a tree have at most {most} bytes together"),
        "Include fewer or smaller files.",
    )
}

pub(super) fn too_many_files(request: &Request, most: usize) -> Diagnostic {
    bound(request, format!("a tree has at most {most} files"), "Put the trees of small files into one.")
}

pub(super) fn too_many_elements(request: &Request, most: usize) -> Diagnostic {
    bound(
        request,
        format!("the files of a tree have at most {most} includes together"),
        "Include a file once; its trees are known everywhere.",
    )
}

pub(super) fn too_deep(request: &Request, most: usize) -> Diagnostic {
    bound(
        request,
        format!("includes are nested more than {most} deep"),
        "Include the last files directly from the first.",
    )
}

/// One file that includes the next, at this place.
#[derive(Clone)]
pub(super) struct Link {
    pub source: Arc<Source>,
    pub span: Span,
}

/// Files that include each other; the last of the links closes the circle.
pub(super) fn circle(links: &[Link]) -> Diagnostic {
    let name = |number: usize| links[number % links.len()].source.name();
    let names: Vec<_> = (0..=links.len()).map(|number| format!("`{}`", name(number))).collect();
    let mut fault = Diagnostic::new(Code::E0130, format!("includes go in a circle: {}", names.join(" -> ")))
        .note("a file is loaded after those that it includes, so no file of a circle could be the first")
        .help("Move the trees that both need into a file of their own, and include that.");
    for (number, link) in links.iter().enumerate() {
        let label = format!("includes {}", names[number + 1]);
        fault = if number + 1 == links.len() {
            fault.at(&link.source, link.span, label)
        } else {
            fault.and_at(&link.source, link.span, label)
        };
    }
    fault
}
