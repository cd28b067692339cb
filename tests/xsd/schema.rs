//! The part of XML Schema 1.0 that Helve's schema is written in, read from its text alone: so it is
//! held against the schema and not against the code that writes it.

use helve::xml::{Document, Element};
use regex::Regex;

/// A schema.
pub struct Schema<'d> {
    root: Element<'d>,
}

/// What an element may hold.
#[derive(Default)]
struct Content<'d> {
    /// What may stand inside, each with the element that defines it.
    choices: Vec<Element<'d>>,
    least: usize,
    most: Option<usize>,
    /// Whether anything may stand inside.
    is_open: bool,
}

/// What attributes an element may have.
#[derive(Default)]
struct Attributes<'d> {
    known: Vec<Element<'d>>,
    is_open: bool,
}

fn of<'d>(element: Element<'d>, name: &str) -> Option<&'d str> {
    element.attribute(name).map(|it| it.value())
}

fn number(element: Element<'_>, name: &str) -> usize {
    of(element, name).map_or(1, |text| text.parse().expect("a number"))
}

impl<'d> Schema<'d> {
    pub fn new(document: &'d Document) -> Self {
        let root = document.root();
        assert_eq!(root.name(), "xs:schema");
        Self { root }
    }

    /// The definition of that kind and name at the top of the schema.
    fn top(&self, kind: &str, name: &str) -> Element<'d> {
        let found = self.root.children().find(|it| it.name() == kind && of(*it, "name") == Some(name));
        found.ok_or_else(|| format!("{kind} `{name}`")).expect("the schema defines what it refers to")
    }

    /// What is wrong with a document; empty when it is valid.
    pub fn faults(&self, document: &Document) -> Vec<String> {
        let mut faults = Vec::new();
        let mut open = vec![(document.root(), self.top("xs:element", document.root().name()))];
        while let Some((element, definition)) = open.pop() {
            let Some(ty) = self.type_of(definition) else { continue };
            self.check_attributes(element, ty, &mut faults);
            let content = self.content(ty);
            let children: Vec<_> = element.children().collect();
            if !content.is_open && children.len() < content.least
                || content.most.is_some_and(|most| children.len() > most)
            {
                faults.push(format!("{}: {} children", element.name(), children.len()));
            }
            for child in children {
                match content.choices.iter().find(|it| self.name(**it) == child.name()) {
                    Some(choice) => open.push((child, self.resolved(*choice))),
                    None if content.is_open => {}
                    None => faults.push(format!("{} in {}", child.name(), element.name())),
                }
            }
        }
        faults
    }

    fn resolved(&self, element: Element<'d>) -> Element<'d> {
        of(element, "ref").map_or(element, |name| self.top("xs:element", name))
    }

    fn name(&self, element: Element<'d>) -> &'d str {
        of(self.resolved(element), "name").expect("an element has a name")
    }

    /// The complex type of an element; `None` for a simple one.
    fn type_of(&self, definition: Element<'d>) -> Option<Element<'d>> {
        match of(definition, "type") {
            Some("xs:string") => None,
            Some(name) => Some(self.top("xs:complexType", name)),
            None => Some(definition.children().find(|it| it.name() == "xs:complexType").expect("a type")),
        }
    }

    fn content(&self, ty: Element<'d>) -> Content<'d> {
        let mut content = Content { most: Some(0), ..Content::default() };
        for part in ty.children() {
            match part.name() {
                "xs:group" | "xs:choice" => self.particle(part, &mut content),
                "xs:annotation" | "xs:attribute" | "xs:attributeGroup" | "xs:anyAttribute" => {}
                "xs:simpleContent" => {}
                other => unreachable!("`{other}` in a type is not read"),
            }
        }
        content
    }

    /// A choice, or a group that is one: at least and at most so many elements of it.
    fn particle(&self, part: Element<'d>, content: &mut Content<'d>) {
        content.least = number(part, "minOccurs");
        content.most = match of(part, "maxOccurs") {
            Some("unbounded") => None,
            _ => Some(number(part, "maxOccurs")),
        };
        for choice in part.children() {
            match choice.name() {
                "xs:element" => content.choices.push(choice),
                "xs:any" => content.is_open = true,
                "xs:group" => self.choices(choice, content),
                other => unreachable!("`{other}` in a choice is not read"),
            }
        }
        if part.name() == "xs:group" {
            self.choices(part, content);
        }
    }

    fn choices(&self, group: Element<'d>, content: &mut Content<'d>) {
        let group = self.top("xs:group", of(group, "ref").expect("a reference"));
        let choice = group.children().next().expect("a group is a choice");
        content.choices.extend(choice.children());
    }

    fn check_attributes(&self, element: Element<'_>, ty: Element<'d>, faults: &mut Vec<String>) {
        let mut attributes = Attributes::default();
        self.attributes(ty, &mut attributes);
        for definition in &attributes.known {
            let name = of(*definition, "name").expect("an attribute has a name");
            match element.attribute(name) {
                Some(given) if !self.takes(*definition, given.value()) => {
                    faults.push(format!("{}: {name}=\"{}\"", element.name(), given.value()));
                }
                None if of(*definition, "use") == Some("required") => {
                    faults.push(format!("{}: no {name}", element.name()));
                }
                _ => {}
            }
        }
        for given in element.attributes().filter(|_| !attributes.is_open) {
            if !attributes.known.iter().any(|it| of(*it, "name") == Some(given.name())) {
                faults.push(format!("{}: {}", element.name(), given.name()));
            }
        }
    }

    fn attributes(&self, ty: Element<'d>, to: &mut Attributes<'d>) {
        for part in ty.children() {
            match part.name() {
                "xs:attribute" => to.known.push(part),
                "xs:attributeGroup" => {
                    self.attributes(self.top("xs:attributeGroup", of(part, "ref").expect("a reference")), to);
                }
                "xs:anyAttribute" => to.is_open = true,
                "xs:simpleContent" | "xs:extension" => self.attributes(part, to),
                _ => {}
            }
        }
    }

    fn takes(&self, attribute: Element<'d>, value: &str) -> bool {
        let ty = of(attribute, "type").expect("an attribute has a type");
        if ty == "xs:string" {
            return true;
        }
        let restriction = self.top("xs:simpleType", ty).children().next().expect("a restriction");
        let pattern = restriction.children().next().and_then(|it| of(it, "value")).expect("a pattern");
        Regex::new(&format!("^(?:{pattern})$")).expect("a pattern that reads").is_match(value)
    }
}
