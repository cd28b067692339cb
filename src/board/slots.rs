//! The slots of one run.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::convert;
use crate::id::{ScopeId, SlotId};
use crate::limits::LATE_KEYS_MAX;
use crate::tree::{Layout, Tree};
use crate::value::{Type, Value};

/// The blackboard of one run. A clone shares all large values.
#[derive(Clone, Debug)]
pub struct Board {
    tree: Arc<Tree>,
    cells: Vec<Cell>,
    late: LateKeys,
}

/// Keys that no tree names, added from outside. Their slots follow those of the tree.
#[derive(Clone, Debug, Default)]
struct LateKeys {
    names: Vec<(ScopeId, Arc<str>)>,
    slots: HashMap<ScopeId, HashMap<Arc<str>, SlotId>>,
}

/// One slot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// The value; `None` when none was written yet, or it was unset.
    pub value: Option<Value>,
    /// How often it was written.
    pub seq: u64,
    /// The type that writes are held to. A key that no port declares gets one at its first typed
    /// write.
    pub ty: Type,
}

impl Cell {
    #[inline(always)]
    fn put(&mut self, value: Value) {
        self.value = Some(value);
        self.seq += 1;
    }
}

/// Why a key does not take a value: a lowercase fragment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteFault {
    message: Box<str>,
}

impl fmt::Display for WriteFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for WriteFault {}

impl Board {
    /// The board of a fresh run: constants and input defaults in place, everything else empty.
    pub fn new(tree: Arc<Tree>) -> Self {
        let cells = (tree.layout().slots())
            .map(|(_, slot)| Cell {
                value: slot.initial.clone(),
                seq: u64::from(slot.initial.is_some()),
                ty: slot.ty,
            })
            .collect();
        Self { tree, cells, late: LateKeys::default() }
    }

    fn layout(&self) -> &Layout {
        self.tree.layout()
    }

    /// The value of a slot.
    #[inline]
    pub fn get(&self, slot: SlotId) -> Option<&Value> {
        self.cells[slot.index()].value.as_ref()
    }

    /// A slot with its type and sequence number.
    pub fn cell(&self, slot: SlotId) -> &Cell {
        &self.cells[slot.index()]
    }

    /// The slot of a key as `scope` sees it, late keys included.
    pub fn find(&self, scope: ScopeId, key: &str) -> Option<SlotId> {
        self.layout().find(scope, key).or_else(|| {
            let (scope, key) = owner(scope, key);
            self.late.slots.get(&scope)?.get(key).copied()
        })
    }

    /// The slot of a key of the main tree, made when the tree names no such key.
    ///
    /// # Errors
    /// When there are [`LATE_KEYS_MAX`] such keys already.
    pub fn find_or_add(&mut self, scope: ScopeId, key: &str) -> Result<SlotId, WriteFault> {
        if let Some(slot) = self.find(scope, key) {
            return Ok(slot);
        }
        self.has_room_for_late_key()?;
        let slot = SlotId::new(self.cells.len() as u32);
        self.cells.push(Cell::default());
        let (scope, key) = owner(scope, key);
        let key: Arc<str> = key.into();
        self.late.slots.entry(scope).or_default().insert(key.clone(), slot);
        self.late.names.push((scope, key));
        Ok(slot)
    }

    /// Whether one more key may be made that the tree does not name.
    ///
    /// # Errors
    /// When there are [`LATE_KEYS_MAX`] such keys already.
    pub fn has_room_for_late_key(&self) -> Result<(), WriteFault> {
        if self.late.names.len() < LATE_KEYS_MAX {
            return Ok(());
        }
        Err(WriteFault {
            message: format!("the tree names no such key, and {LATE_KEYS_MAX} were added already").into(),
        })
    }

    /// Whether a slot takes a value from outside the tree.
    ///
    /// # Errors
    /// Why it does not.
    pub fn accepts(&self, slot: SlotId, value: &Value) -> Result<(), WriteFault> {
        self.converted(slot, value).map(drop)
    }

    /// The key of a slot, in the scope that owns it.
    pub fn key(&self, slot: SlotId) -> &str {
        match slot.index().checked_sub(self.layout().slots().len()) {
            None => &self.layout().slot(slot).key,
            Some(late) => &self.late.names[late].1,
        }
    }

    /// The keys that `scope` owns and their slots, late ones included, sorted by name.
    pub fn own_keys(&self, scope: ScopeId) -> Vec<(Arc<str>, SlotId)> {
        let known = self.layout().own_keys(scope).into_iter().map(|(key, slot)| (key.clone(), slot));
        let late = self.late.slots.get(&scope).into_iter().flatten();
        let mut keys: Vec<_> = known.chain(late.map(|(key, &slot)| (key.clone(), slot))).collect();
        keys.sort();
        keys
    }

    /// Takes what a port of type `port` gives. A number goes into another number's key when
    /// nothing is lost, text is read by the key's type.
    ///
    /// The value is taken from where it lies: a processor waits for a value that is moved whole right
    /// after it was put together of two words.
    ///
    /// # Errors
    /// When the key's type does not take the value.
    #[inline(always)]
    pub fn write_port(&mut self, slot: SlotId, value: &mut Value, port: Type) -> Result<(), WriteFault> {
        let cell = &mut self.cells[slot.index()];
        if cell.ty == Type::Any {
            cell.ty = port;
        }
        if value.fits(cell.ty) {
            match (&mut cell.value, &*value) {
                (Some(Value::Int(old)), Value::Int(new)) => *old = *new,
                (cell, _) => *cell = Some(std::mem::take(value)),
            }
            cell.seq += 1;
            return Ok(());
        }
        self.write(slot, value)
    }

    /// Takes an integer where one is already; answers whether it did.
    #[inline(always)]
    pub fn write_int(&mut self, slot: SlotId, int: i64) -> bool {
        let cell = &mut self.cells[slot.index()];
        let Some(Value::Int(old)) = &mut cell.value else { return false };
        *old = int;
        cell.seq += 1;
        true
    }

    /// Takes what a script assigns: the first write fixes the kind, later ones convert into it.
    ///
    /// # Errors
    /// When the value does not convert.
    #[inline]
    pub fn write_script(&mut self, slot: SlotId, value: &mut Value) -> Result<(), WriteFault> {
        let cell = &mut self.cells[slot.index()];
        match (&mut cell.value, &*value) {
            (Some(Value::Int(old)), Value::Int(new)) => *old = *new,
            (Some(Value::Int(old)), Value::Real(new)) if let Some(int) = convert::whole(*new) => *old = int,
            (Some(Value::Real(old)), Value::Real(new)) => *old = *new,
            _ => return self.convert_script(slot, std::mem::take(value)),
        }
        cell.seq += 1;
        Ok(())
    }

    /// A write of a script that is more than one number in the place of another.
    #[inline(never)]
    fn convert_script(&mut self, slot: SlotId, value: Value) -> Result<(), WriteFault> {
        let value = match (self.get(slot).map(Value::kind), &value) {
            (None, _) => value,
            (Some(old), new) if old == new.kind() => value,
            (Some(Type::Text), Value::Int(_) | Value::Real(_) | Value::Bool(_)) => {
                return self.refuse(slot, &value, Type::Text);
            }
            (Some(Type::Json), _) => value,
            // A text that is assigned to a number is read as a double, unless a port says otherwise.
            (Some(Type::Int64 | Type::Real), Value::Text(text)) if self.cell(slot).ty == Type::Any => {
                match convert::from_text(text, Type::Real) {
                    Ok(real) => real,
                    Err(_) => return self.refuse(slot, &value, Type::Real),
                }
            }
            (Some(old), _) => match convert::convert(&value, old) {
                Ok(value) => value,
                Err(_) => return self.refuse(slot, &value, old),
            },
        };
        self.put(slot, value);
        Ok(())
    }

    /// Writes a value from outside the tree, by the key's type when it has one.
    ///
    /// # Errors
    /// When the value does not convert.
    #[inline(never)]
    pub fn write(&mut self, slot: SlotId, value: &Value) -> Result<(), WriteFault> {
        let value = self.converted(slot, value)?;
        self.put(slot, value);
        Ok(())
    }

    /// Copies a value, and its type with it; whether there was one to copy.
    pub fn copy(&mut self, from: SlotId, to: SlotId) -> bool {
        let Cell { value: Some(value), ty, .. } = self.cell(from).clone() else { return false };
        self.cells[to.index()].ty = ty;
        self.put(to, value);
        true
    }

    /// Takes the value away.
    pub fn unset(&mut self, slot: SlotId) {
        let cell = &mut self.cells[slot.index()];
        cell.value = None;
        cell.seq += 1;
        // The next write may be of another type, as after the reference's `unset`.
        cell.ty = Type::Any;
    }

    /// Takes a slot back to what it was before the run; answers whether that changed it.
    pub fn reset(&mut self, slot: SlotId) -> bool {
        let Some(cell) = self.cells.get_mut(slot.index()) else { return false };
        let known = self.tree.layout().slot(slot);
        let changes = cell.value != known.initial;
        cell.ty = known.ty;
        if changes {
            cell.value = known.initial.clone();
            cell.seq += 1;
        }
        changes
    }

    fn put(&mut self, slot: SlotId, value: Value) {
        self.cells[slot.index()].put(value);
    }

    fn converted(&self, slot: SlotId, value: &Value) -> Result<Value, WriteFault> {
        let ty = self.cells[slot.index()].ty;
        self.tree.convert(value, ty).map_err(|fault| WriteFault {
            message: format!("the key `{}` of type {ty} does not take this value: {fault}", self.key(slot))
                .into(),
        })
    }

    fn refuse(&self, slot: SlotId, value: &Value, kind: Type) -> Result<(), WriteFault> {
        let key = self.key(slot);
        Err(WriteFault {
            message: format!("the key `{key}` holds a value of kind {kind} and does not take {value}").into(),
        })
    }
}

/// The scope that a late key belongs to and its name there: `@key` is the main tree's.
fn owner(scope: ScopeId, key: &str) -> (ScopeId, &str) {
    key.strip_prefix('@').map_or((scope, key), |rest| (ScopeId::new(0), rest))
}
