//! What a script comes to.

use std::cmp::Ordering;

use helve::value::Value;

use super::Fault;
use super::ast::{Expr, parse};
use super::board::Board;
use super::number::{Enums, TOLERANCE, int, real, real_in, text, truth};

/// Where names are looked up.
pub struct Env<'b> {
    pub board: &'b mut Board,
    pub scope: usize,
    pub enums: &'b Enums,
}

/// Runs all statements; answers the value of the last.
pub fn run(script: &str, env: &mut Env<'_>) -> Result<Option<Value>, Fault> {
    let mut last = None;
    for statement in parse(script)? {
        last = Some(env.value(&statement)?);
    }
    Ok(last)
}

fn of(flag: bool) -> Value {
    Value::Real(f64::from(u8::from(flag)))
}

impl Env<'_> {
    fn value(&mut self, expr: &Expr) -> Result<Value, Fault> {
        match expr {
            Expr::Literal(value) => Ok(value.clone()),
            Expr::Name(name) => self.name(name),
            Expr::Unary(sign, inside) => {
                let inside = self.value(inside)?;
                Ok(match sign {
                    '-' => Value::Real(-real(&inside)?),
                    '!' => of(!truth(&inside)?),
                    _ => Value::Real(!int(&Value::Real(real(&inside)?))? as f64),
                })
            }
            // The right side is asked only when it decides.
            Expr::Binary("||", left, right) => Ok(of(self.truth(left)? || self.truth(right)?)),
            Expr::Binary("&&", left, right) => Ok(of(self.truth(left)? && self.truth(right)?)),
            Expr::Binary(sign, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                binary(sign, &left, &right)
            }
            Expr::Chain(operands, signs) => self.chain(operands, signs),
            Expr::Choice(condition, yes, no) => {
                let condition = self.value(condition)?;
                let chosen = if real_in(&condition, self.enums)? != 0.0 { yes } else { no };
                self.value(chosen)
            }
            Expr::Assign(name, sign, right) => self.assign(name, sign, right),
        }
    }

    fn name(&self, name: &str) -> Result<Value, Fault> {
        if let Some(number) = self.enums.get(name) {
            return Ok(Value::Real(*number as f64));
        }
        self.board.value(self.scope, name).cloned().ok_or_else(|| format!("{name} has no value"))
    }

    fn truth(&mut self, expr: &Expr) -> Result<bool, Fault> {
        truth(&self.value(expr)?)
    }

    fn chain(&mut self, operands: &[Expr], signs: &[&str]) -> Result<Value, Fault> {
        let mut holds = true;
        let mut left = self.value(&operands[0])?;
        for (operand, sign) in operands[1..].iter().zip(signs) {
            let right = self.value(operand)?;
            holds &= self.compare(sign, &left, &right)?;
            left = right;
        }
        Ok(of(holds))
    }

    fn compare(&self, sign: &str, left: &Value, right: &Value) -> Result<bool, Fault> {
        let order = if let (Value::Text(left), Value::Text(right)) = (left, right) {
            left.cmp(right)
        } else {
            let (left, right) = (real_in(left, self.enums)?, real_in(right, self.enums)?);
            let is_close = (left - right).abs() <= TOLERANCE;
            match sign {
                "==" | "!=" if is_close => Ordering::Equal,
                _ => left.partial_cmp(&right).ok_or("not a number")?,
            }
        };
        Ok(match sign {
            "==" => order.is_eq(),
            "!=" => order.is_ne(),
            "<" => order.is_lt(),
            ">" => order.is_gt(),
            "<=" => order.is_le(),
            _ => order.is_ge(),
        })
    }

    fn assign(&mut self, name: &str, sign: &'static str, right: &Expr) -> Result<Value, Fault> {
        if sign == ":=" {
            self.board.entry_mut(self.scope, name);
        }
        if self.board.entry(self.scope, name).is_none() {
            return Err(format!("there is no {name}"));
        }
        let right = self.value(right)?;
        let value = match sign {
            ":=" | "=" => right,
            _ => binary(&sign[..1], &self.name(name)?, &right)?,
        };
        self.board.assign(self.scope, name, value)?;
        self.name(name)
    }
}

fn binary(sign: &str, left: &Value, right: &Value) -> Result<Value, Fault> {
    let bits = |value| int(&Value::Real(real(value)?));
    Ok(match (sign, left, right) {
        ("+", Value::Text(left), Value::Text(right)) => Value::text(format!("{left}{right}")),
        ("..", Value::Text(_), _) | ("..", _, Value::Text(_)) => {
            Value::text(format!("{}{}", text(left), text(right)))
        }
        ("+", ..) => Value::Real(real(left)? + real(right)?),
        ("-", ..) => Value::Real(real(left)? - real(right)?),
        ("*", ..) => Value::Real(real(left)? * real(right)?),
        ("/", ..) => Value::Real(real(left)? / real(right)?),
        ("&", ..) => Value::Real((bits(left)? & bits(right)?) as f64),
        ("|", ..) => Value::Real((bits(left)? | bits(right)?) as f64),
        ("^", ..) => Value::Real((bits(left)? ^ bits(right)?) as f64),
        _ => return Err(format!("{left:?} {sign} {right:?} means nothing")),
    })
}
