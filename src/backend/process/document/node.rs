//! A value with its place.

use serde_json::Value as Json;

use crate::text::Span;

/// A value of a manifest.
#[derive(Clone, Debug)]
pub struct Node {
    pub span: Span,
    pub data: Data,
}

/// What a value is. `Scalar` holds null, booleans, numbers and texts.
#[derive(Clone, Debug)]
pub enum Data {
    Scalar(Json),
    List(Vec<Node>),
    Table(Vec<Member>),
}

/// A value with its name.
#[derive(Clone, Debug)]
pub struct Member {
    pub name: String,
    pub name_span: Span,
    pub value: Node,
}

impl Node {
    pub fn to_json(&self) -> Json {
        match &self.data {
            Data::Scalar(value) => value.clone(),
            Data::List(items) => items.iter().map(Self::to_json).collect(),
            Data::Table(members) => members.iter().map(|it| (it.name.clone(), it.value.to_json())).collect(),
        }
    }

    /// What a JSON pointer leads to.
    pub fn find(&self, pointer: &str) -> Option<&Self> {
        pointer.split('/').skip(1).try_fold(self, |node, name| match &node.data {
            Data::Scalar(_) => None,
            Data::List(items) => items.get(name.parse::<usize>().ok()?),
            Data::Table(members) => {
                let name = name.replace("~1", "/").replace("~0", "~");
                Some(&members.iter().find(|member| member.name == name)?.value)
            }
        })
    }

    /// What it is, for a fault: `a number`.
    pub fn kind(&self) -> &'static str {
        match &self.data {
            Data::Scalar(Json::Null) => "null",
            Data::Scalar(Json::Bool(_)) => "true or false",
            Data::Scalar(Json::Number(_)) => "a number",
            Data::Scalar(_) => "a text",
            Data::List(_) => "a list",
            Data::Table(_) => "a table",
        }
    }
}
