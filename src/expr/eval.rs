//! Evaluates what assigns nothing, borrowing every value from the board.
//!
//! This code is generic over the board, so it is compiled where the board is. The small functions
//! that it calls on its way carry `#[inline]`, or each would be a call into another unit: a third
//! of the time of `a := a + 1`.

use super::ast::{Id, Kind, Link, Links};
use super::compare::{self, Comparer};
use super::env::Env;
use super::function::Function;
use super::join::combine;
use super::number::{self, Number};
use super::operand::{Operand, Plain, Text, Tree};
use super::operator::{Binary, Level};
use super::program::{Dialect, NameId, Program};
use super::trip::{Kind as Known, Trip, Why};
use super::weight::Steps;
use crate::value::Value;
use serde_json::Value as Json;

/// One evaluation over a board that does not change.
///
/// It recurses as deep as the tree is high, which the parser bounds.
pub(super) struct Eval<'e, E: ?Sized> {
    program: &'e Program,
    env: &'e E,
    steps: &'e Steps,
}

impl<'e, E: Env + ?Sized> Eval<'e, E> {
    pub(super) fn new(program: &'e Program, env: &'e E, steps: &'e Steps) -> Self {
        Self { program, env, steps }
    }

    /// Whether every question has an answer: see [`Dialect::Predicate`].
    fn total(&self) -> bool {
        self.program.dialect == Dialect::Predicate
    }

    pub(super) fn eval(&self, id: Id) -> Result<Operand<'e>, Trip> {
        let ast = &self.program.ast;
        Ok(match ast.kind(id) {
            Kind::Null => Operand::Null,
            Kind::Truth(flag) => Operand::Truth(*flag),
            Kind::Int(int) => Operand::Int(*int),
            Kind::Real(real) => Operand::Real(*real),
            Kind::Text(text) => Operand::Text(Text::Shared(text)),
            Kind::Const(json) => Operand::Json(Tree::Shared(json)),
            Kind::Name(name) => return self.name(*name, None).map_err(|why| why.at(id)),
            Kind::Part(name, path) => return self.name(*name, Some(*path)).map_err(|why| why.at(id)),
            Kind::Unary(operator, operand) => {
                number::unary(*operator, &self.eval(*operand)?).map_err(|why| why.at(id))?
            }
            Kind::Chain(level, first, links) => return self.chain(id, *level, *first, ast.links(links)),
            Kind::If(condition, then, other) => {
                let chosen = choice(&self.eval(*condition)?).map_err(|why| why.at(*condition))?;
                return self.eval(if chosen { *then } else { *other });
            }
            Kind::List(run) => self.list(ast.items(*run))?,
            Kind::Call(function, run) => return self.call(id, *function, ast.items(*run)),
            Kind::Match(text, pattern) => {
                let text = self.eval(*text)?;
                self.matches(&text, *pattern).map_err(|why| why.at(id))?
            }
            Kind::Assign(..) => {
                debug_assert!(false, "an assignment is run by effect.rs");
                return Err(Why::Refused("an assignment cannot stand here".into()).at(id));
            }
        })
    }

    /// The value for the board.
    pub(super) fn value(&self, id: Id) -> Result<Value, Trip> {
        let ast = &self.program.ast;
        let operand = match ast.kind(id) {
            Kind::Chain(level, first, links) if *level > Level::Compare => {
                let links = ast.links(links);
                match self.arithmetic(*first, links) {
                    Some(number) => return Ok(number.into_value()),
                    None => self.combined(id, *first, links)?,
                }
            }
            _ => self.eval(id)?,
        };
        self.steps.keep(operand).map_err(|why| why.at(id))
    }

    /// The value as a condition.
    pub(super) fn condition(&self, id: Id) -> Result<bool, Trip> {
        let ast = &self.program.ast;
        match ast.kind(id) {
            Kind::Chain(level @ (Level::Or | Level::And), first, links) => {
                self.logic(*level == Level::Or, *first, ast.links(links))
            }
            _ => match self.two_ints_compared(id) {
                Some(answer) => Ok(answer),
                None => self.any_condition(id),
            },
        }
    }

    #[inline(never)]
    fn any_condition(&self, id: Id) -> Result<bool, Trip> {
        match self.program.ast.kind(id) {
            Kind::Chain(Level::Compare, first, links) => {
                self.compare(id, *first, self.program.ast.links(links))
            }
            _ => self.eval(id)?.condition().map_err(|why| why.at(id)),
        }
    }

    /// The answer of a comparison of two plain integers; `None` sends the caller to
    /// [`condition`](Self::condition).
    ///
    /// Most programs compare such numbers and count with them, so these two ways cost what they
    /// must: everything stays in registers, and nothing else is called.
    #[inline(always)]
    fn two_ints_compared(&self, id: Id) -> Option<bool> {
        let Kind::Chain(_, first, Links::One(link)) = self.program.ast.kind(id) else { return None };
        compare::ints(link.operator, self.int(*first)?, self.int(link.operand)?)
    }

    /// What `+ - * /` make of two plain integers, where that is one; `None` sends the caller to
    /// [`value`](Self::value).
    #[inline(always)]
    pub(super) fn two_ints_combined(&self, id: Id) -> Option<i64> {
        let Kind::Chain(_, first, Links::One(link)) = self.program.ast.kind(id) else { return None };
        number::integral(link.operator, self.int(*first)?, self.int(link.operand)?)
    }

    /// The same for an entry and a plain integer.
    #[inline(always)]
    pub(super) fn int_added(&self, operator: Binary, name: NameId, id: Id) -> Option<i64> {
        match *self.env.read(name)? {
            Value::Int(int) => number::integral(operator, int, self.int(id)?),
            _ => None,
        }
    }

    #[inline(always)]
    fn int(&self, id: Id) -> Option<i64> {
        match *self.program.ast.kind(id) {
            Kind::Int(int) => Some(int),
            Kind::Name(name) => match self.env.enum_of(name) {
                None => match *self.env.read(name)? {
                    Value::Int(int) => Some(int),
                    _ => None,
                },
                number => number,
            },
            _ => None,
        }
    }

    /// The number or the text that a literal or a plain name is; `None` sends the caller to
    /// [`eval`](Self::eval).
    fn plain(&self, id: Id) -> Option<Plain<'e>> {
        Some(match self.program.ast.kind(id) {
            Kind::Int(int) => Plain::Number(Number::Int(*int)),
            Kind::Real(real) => Plain::Number(Number::Real(*real)),
            Kind::Text(text) => Plain::Text(text),
            Kind::Name(name) => match self.env.enum_of(*name) {
                Some(number) => Plain::Number(Number::Int(number)),
                None => return Plain::of(self.env.read(*name)?),
            },
            _ => return None,
        })
    }

    fn number(&self, id: Id) -> Option<Number> {
        match self.plain(id) {
            Some(Plain::Number(number)) => Some(number),
            _ => None,
        }
    }

    /// What a row of such numbers comes to; `None` also where there is a fault to tell.
    #[inline]
    fn arithmetic(&self, first: Id, links: &[Link]) -> Option<Number> {
        let mut left = self.number(first)?;
        for link in links {
            let right = self.number(link.operand).filter(|_| link.operator != Binary::Concat)?;
            left = number::arithmetic(link.operator, left, right).ok()?;
        }
        Some(left)
    }

    fn name(&self, name: NameId, path: Option<u32>) -> Result<Operand<'e>, Why> {
        if let Some(number) = self.env.enum_of(name) {
            return Ok(Operand::Whole(number));
        }
        let Some(value) = self.env.read(name) else {
            return if self.total() { Ok(Operand::Null) } else { Err(Why::Missing(name)) };
        };
        let Some(path) = path else { return Ok(Operand::of(value)) };
        match self.part(value, path) {
            Some(part) => Ok(Operand::part(part)),
            None if self.total() => Ok(Operand::Null),
            None => Err(Why::NoPart(name, Operand::of(value).kind())),
        }
    }

    fn part(&self, value: &'e Value, path: u32) -> Option<&'e Json> {
        match value {
            Value::Json(json) => self.program.ast.path(path).find(json),
            _ => None,
        }
    }

    fn chain(&self, id: Id, level: Level, first: Id, links: &[Link]) -> Result<Operand<'e>, Trip> {
        match level {
            Level::Or | Level::And | Level::Compare => self.condition(id).map(Operand::Truth),
            _ => match self.arithmetic(first, links) {
                Some(number) => Ok(Operand::computed(number)),
                None => self.combined(id, first, links),
            },
        }
    }

    fn combined(&self, id: Id, first: Id, links: &[Link]) -> Result<Operand<'e>, Trip> {
        let mut left = self.eval(first)?;
        for link in links {
            let right = self.eval(link.operand)?;
            left = combine(self.steps, link.operator, &left, &right).map_err(|why| why.at(id))?;
        }
        Ok(left)
    }

    /// `&&` or `||`: stops at the first operand that decides.
    ///
    /// In a predicate an operand without an answer does not decide, and the row has no answer
    /// unless another operand decides it. So `!(missing > 3)` does not become true.
    #[inline(always)]
    fn logic(&self, or: bool, first: Id, links: &[Link]) -> Result<bool, Trip> {
        let mut operand = first;
        let mut others = links.iter();
        loop {
            let answer = match self.two_ints_compared(operand) {
                Some(answer) => answer,
                None => match self.condition(operand) {
                    Ok(answer) => answer,
                    Err(trip) => return self.unsure(or, others.as_slice(), trip),
                },
            };
            match others.next() {
                Some(link) if answer != or => operand = link.operand,
                _ => return Ok(answer),
            }
        }
    }

    /// The rest of a row, one of whose operands has no answer.
    #[cold]
    fn unsure(&self, or: bool, others: &[Link], trip: Trip) -> Result<bool, Trip> {
        let decides = |link: &Link| self.condition(link.operand) == Ok(or);
        if self.total() && others.iter().any(decides) { Ok(or) } else { Err(trip) }
    }

    /// `a < b < c`: every neighbouring pair, up to the first that does not hold.
    fn compare(&self, id: Id, first: Id, links: &[Link]) -> Result<bool, Trip> {
        if let [link] = links {
            match (self.plain(first), self.plain(link.operand)) {
                (Some(Plain::Number(left)), Some(Plain::Number(right))) => {
                    return Ok(compare::numbers(link.operator, left, right));
                }
                (Some(Plain::Text(left)), Some(Plain::Text(right))) => {
                    let answer = compare::texts(self.steps, link.operator, left, right);
                    return answer.map_err(|why| why.at(id));
                }
                _ => {}
            }
        }
        let mut left = self.eval(first)?;
        for link in links {
            let right = self.eval(link.operand)?;
            if !self.holds(link.operator, &left, &right).map_err(|why| why.at(id))? {
                return Ok(false);
            }
            left = right;
        }
        Ok(true)
    }

    pub(super) fn holds(
        &self,
        operator: Binary,
        left: &Operand<'_>,
        right: &Operand<'_>,
    ) -> Result<bool, Why> {
        self.comparer(self.total(), |comparer| comparer.holds(operator, left, right))
    }

    fn comparer<T>(&self, total: bool, ask: impl FnOnce(&Comparer<'_>) -> T) -> T {
        let enums = |text: &str| self.env.enum_value(text);
        ask(&Comparer { steps: self.steps, enums: &enums, total })
    }

    fn list(&self, items: &[Id]) -> Result<Operand<'e>, Trip> {
        let item = |&id: &Id| self.steps.keep_item(self.eval(id)?).map_err(|why| why.at(id));
        let items: Vec<Json> = items.iter().map(item).collect::<Result<_, Trip>>()?;
        Ok(Operand::Json(Tree::Made(Json::Array(items).into())))
    }

    fn matches(&self, text: &Operand<'_>, pattern: u32) -> Result<Operand<'e>, Why> {
        let Operand::Text(text) = text else { return Err(Why::Argument(Function::Matches, 0, text.kind())) };
        self.steps.pay_bytes(text.as_str().len())?;
        Ok(Operand::Truth(self.program.ast.pattern(pattern).is_match(text.as_str())))
    }

    fn call(&self, id: Id, function: Function, arguments: &[Id]) -> Result<Operand<'e>, Trip> {
        let Some(&argument) = arguments.first() else { return Ok(Operand::Null) };
        if function == Function::Has {
            return Ok(Operand::Truth(self.has(argument)));
        }
        let first = self.eval(argument)?;
        let answer = match arguments.get(1) {
            None => self.size(&first),
            Some(&second) => self.ask(function, &first, &self.eval(second)?),
        };
        answer.map_err(|why| why.at(id))
    }

    /// Whether a name or path leads to something other than null. It never faults.
    fn has(&self, argument: Id) -> bool {
        !matches!(self.eval(argument), Ok(Operand::Null) | Err(_))
    }

    fn size(&self, of: &Operand<'_>) -> Result<Operand<'e>, Why> {
        let size = match of {
            Operand::Text(text) => {
                self.steps.pay_bytes(text.as_str().len())?;
                text.as_str().chars().count()
            }
            Operand::Json(tree) => match tree.as_json() {
                Json::Array(items) => items.len(),
                Json::Object(members) => members.len(),
                _ => 1,
            },
            other => return Err(Why::Argument(Function::Size, 0, other.kind())),
        };
        Ok(Operand::Int(i64::try_from(size).unwrap_or(i64::MAX)))
    }

    fn ask(&self, function: Function, place: &Operand<'_>, what: &Operand<'_>) -> Result<Operand<'e>, Why> {
        if let (Function::Contains, Operand::Json(tree)) = (function, place) {
            return self.contains(tree.as_json(), what).map(Operand::Truth);
        }
        let Operand::Text(place) = place else { return Err(Why::Argument(function, 0, place.kind())) };
        let Operand::Text(what) = what else { return Err(Why::Argument(function, 1, what.kind())) };
        let (place, what) = (place.as_str(), what.as_str());
        let looked_at = if function == Function::Contains { place.len() } else { what.len() };
        self.steps.pay_bytes(looked_at)?;
        Ok(Operand::Truth(match function {
            Function::StartsWith => place.starts_with(what),
            Function::EndsWith => place.ends_with(what),
            _ => place.contains(what),
        }))
    }

    /// Whether a list holds an equal item, or an object a member of that name.
    fn contains(&self, tree: &Json, what: &Operand<'_>) -> Result<bool, Why> {
        match (tree, what) {
            (Json::Object(members), Operand::Text(name)) => Ok(members.contains_key(name.as_str())),
            (Json::Array(items), _) => self.comparer(true, |comparer| {
                for item in items {
                    self.steps.pay(1)?;
                    if comparer.equals(&Operand::part(item), what)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }),
            _ => Err(Why::Argument(Function::Contains, 1, what.kind())),
        }
    }
}

/// Whether `? :` takes its first branch: a number unless it is zero; a text counts as the number
/// that it writes.
pub(super) fn choice(condition: &Operand<'_>) -> Result<bool, Why> {
    if let Some(number) = condition.number() {
        return Ok(!number.is_zero());
    }
    match condition {
        Operand::Text(text) => match Number::parse(text.as_str()) {
            Some(number) => Ok(!number.is_zero()),
            None => Err(Why::Condition(Known::Text)),
        },
        other => Err(Why::Condition(other.kind())),
    }
}
