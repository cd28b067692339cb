//! Reads a port that holds a list.

use std::sync::Arc;

use serde_json::Value as Json;

use crate::convert;
use crate::limits::ITEMS_MAX;
use crate::node::{NodeContext, PortFault};
use crate::value::{Type, Value};

/// The items of a list, each of type `ty`; none when the port has no value. A list is a JSON array,
/// or a text with `;` between the items.
pub(crate) fn read_items(cx: &NodeContext<'_>, port: usize, ty: Type) -> Result<Arc<[Value]>, PortFault> {
    let fault = |why: String| PortFault::new(cx.tree, cx.id, port, why);
    let items: Vec<Value> = match cx.value(port)? {
        None => Vec::new(),
        Some(Value::Json(json)) => match &*json {
            Json::Array(items) => items.iter().cloned().map(Value::from_json).collect(),
            other => return Err(fault(format!("{other} is no list"))),
        },
        Some(Value::Text(text)) if text.is_empty() => Vec::new(),
        Some(Value::Text(text)) => text.split(';').map(Value::text).collect(),
        Some(other) => return Err(fault(format!("{other} is no list"))),
    };
    if items.len() > ITEMS_MAX {
        return Err(fault(format!("a list of {} items is above the bound, {ITEMS_MAX}", items.len())));
    }
    let convert = |(place, item)| {
        convert::convert(&item, ty).map_err(|why| fault(format!("item {}: {why}", place + 1)))
    };
    items.into_iter().enumerate().map(convert).collect()
}
