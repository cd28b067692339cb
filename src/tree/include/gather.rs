//! All documents of a tree.

use std::collections::HashMap;
use std::sync::Arc;

use crate::diag::{Diagnostic, Diagnostics};
use crate::loader::{LoadFault, Location};
use crate::text::Source;
use crate::tree::include::fault::{self, Link};
use crate::tree::include::request::Request;
use crate::tree::include::{Includes, SourceFile, Sources};
use crate::xml::{self, Document, ElementId, XmlLimits};

/// The documents of a tree in the order of loading: each after those that it includes, the main one
/// last. Only [`gather`] makes them.
#[derive(Debug)]
pub struct Documents {
    included: Vec<Document>,
    main: Document,
    is_whole: bool,
    sources: Sources,
}

impl Documents {
    /// The main document.
    pub fn main(&self) -> &Document {
        &self.main
    }

    /// Those that it includes, directly or not, in the order of loading.
    pub fn included(&self) -> &[Document] {
        &self.included
    }

    /// Whether everything that is included is here and reads well; if not, nobody can tell whether a
    /// tree that is not here is missing.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The texts.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }
}

/// Reads a text and all that it includes. Never stops at the first fault: what cannot be had is
/// left out. There are no documents when the main text itself does not read.
pub fn gather(source: &Arc<Source>, includes: &Includes<'_>) -> (Option<Documents>, Diagnostics) {
    let (main, diagnostics) = xml::read(source, &XmlLimits::default());
    let Some(main) = main else { return (None, diagnostics) };
    let mut gatherer = Gatherer {
        includes,
        files: Vec::new(),
        by_id: HashMap::new(),
        open: Vec::new(),
        loaded: Vec::new(),
        bytes: source.text().len(),
        elements: 0,
        is_whole: true,
        diagnostics,
    };
    gatherer.begin(&includes.from, source);
    gatherer.open(0, main);
    gatherer.run();
    gatherer.finish()
}

struct Gatherer<'g> {
    includes: &'g Includes<'g>,
    /// Every text met, the main one first.
    files: Vec<File>,
    /// The numbers of the texts by the id of their place; `None` for bytes that are no text, which
    /// is said once.
    by_id: HashMap<Arc<str>, Option<usize>>,
    /// The chain from the main text to the one that is being read.
    open: Vec<Open>,
    loaded: Vec<Document>,
    bytes: usize,
    elements: usize,
    is_whole: bool,
    diagnostics: Diagnostics,
}

/// A text that was met.
struct File {
    location: Location,
    text: SourceFile,
    is_open: bool,
}

/// A text whose includes are being followed.
struct Open {
    file: usize,
    document: Document,
    includes: Vec<ElementId>,
    next: usize,
    /// The include that is being followed.
    link: Link,
}

impl Gatherer<'_> {
    fn run(&mut self) {
        while let Some(open) = self.open.last_mut() {
            let Some(&include) = open.includes.get(open.next) else {
                self.close();
                continue;
            };
            open.next += 1;
            let followed = Request::read(open.document.element(include)).and_then(|it| self.follow(&it));
            if let Err(fault) = followed {
                self.is_whole = false;
                self.diagnostics.push(fault);
            }
        }
    }

    /// Remembers a text by the place where it lies.
    fn begin(&mut self, location: &Location, source: &Arc<Source>) -> usize {
        let text = SourceFile::new(source.clone());
        self.by_id.insert(location.id.clone(), Some(self.files.len()));
        self.files.push(File { location: location.clone(), text, is_open: false });
        self.files.len() - 1
    }

    fn open(&mut self, file: usize, document: Document) {
        let root = document.root();
        let includes = root.children().filter(|it| it.name() == "include").map(|it| it.id()).collect();
        let link = Link { source: document.source().clone(), span: root.start_tag_span() };
        self.files[file].is_open = true;
        self.open.push(Open { file, document, includes, next: 0, link });
    }

    fn close(&mut self) {
        if let Some(open) = self.open.pop() {
            self.files[open.file].is_open = false;
            self.loaded.push(open.document);
        }
    }

    fn follow(&mut self, request: &Request) -> Result<(), Diagnostic> {
        let Includes { loader, limits, .. } = self.includes;
        self.elements += 1;
        if self.elements > limits.elements {
            self.stop();
            return Err(fault::too_many_elements(request, limits.elements));
        }
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        open.link.span = request.span;
        let here = open.file;
        let found = loader.locate(&self.files[here].location, &request.path);
        let location = found.map_err(|why| fault::unavailable(request, &why, limits))?;
        let there = match self.by_id.get(&location.id) {
            Some(&Some(there)) if self.files[there].is_open => return Err(self.circle(there)),
            Some(&Some(there)) => there,
            Some(None) => return Ok(()),
            None => self.read(&location, request)?,
        };
        let includes = &mut self.files[here].text.includes;
        if !includes.iter().any(|(path, _)| *path == request.path) {
            includes.push((request.path.clone(), there as u32));
        }
        Ok(())
    }

    /// Reads a text that was not met before.
    fn read(&mut self, location: &Location, request: &Request) -> Result<usize, Diagnostic> {
        let Includes { loader, limits, .. } = self.includes;
        if self.open.len() > limits.depth {
            return Err(fault::too_deep(request, limits.depth));
        }
        if self.files.len() >= limits.files {
            self.stop();
            return Err(fault::too_many_files(request, limits.files));
        }
        let left = limits.bytes.saturating_sub(self.bytes);
        let bytes = loader.read(location, left).map_err(|why| {
            if why == LoadFault::TooLarge {
                self.stop();
            }
            fault::unavailable(request, &why, limits)
        })?;
        self.bytes += bytes.len();
        let source = xml::source_from_bytes(&location.name, bytes).map_err(|why| {
            self.by_id.insert(location.id.clone(), None);
            fault::no_text(request, why)
        })?;
        let file = self.begin(location, &source);
        let (document, faults) = xml::read(&source, &XmlLimits::default());
        self.is_whole &= !faults.has_errors();
        self.diagnostics.extend(faults);
        if let Some(document) = document {
            self.open(file, document);
        }
        Ok(file)
    }

    /// Follows no further include: a bound on all of them is reached, and said once.
    fn stop(&mut self) {
        for open in &mut self.open {
            open.next = open.includes.len();
        }
    }

    fn circle(&self, there: usize) -> Diagnostic {
        let links = self.open.iter().skip_while(|open| open.file != there).map(|open| &open.link);
        fault::circle(&links.cloned().collect::<Vec<_>>())
    }

    fn finish(mut self) -> (Option<Documents>, Diagnostics) {
        let main = self.loaded.pop();
        let sources = Sources::new(self.files.into_iter().map(|file| file.text).collect());
        let documents = main.zip(sources.ok()).map(|(main, sources)| Documents {
            included: self.loaded,
            main,
            is_whole: self.is_whole,
            sources,
        });
        (documents, self.diagnostics)
    }
}
