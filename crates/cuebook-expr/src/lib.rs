//! One pure condition language for edges, inputs and rules.
//!
//! The same language stands in the conditions of workflow edges, in `when` and `advance_when`, and in expression
//! inputs; its plain references stand in `with:` strings. It reads JSON values by name and gives one JSON value. It has
//! no I/O, no clock, no loops and no functions of a caller's own, and every evaluation ends.
//!
//! - [`Expression`] is read once and evaluated many times against a [`Scope`].
//! - [`Path`] is a fixed reference such as `steps.draft.output`.
//! - [`Condition`] is the wire form of an edge condition, compiled.
//! - [`ExprError`] says why a text cannot be read, [`EvalError`] why it has no value; both can show the place.
//! - [`limits`] bounds all of it.
//!
//! # Grammar
//!
//! ```text
//! expression = operation [ "?" expression ":" expression ]
//! operation  = operand { operator operand }              by the table below
//! operand    = { "!" | "-" | "not" } atom { step }
//! step       = "." name | "[" expression "]"
//! atom       = literal | name | list | call | "(" expression ")"
//! list       = "[" [ expression { "," expression } ] "]"
//! call       = function "(" [ expression { "," expression } ] ")"
//! literal    = "null" | "true" | "false" | number | string
//! number     = digit { digit } [ "." digit { digit } ]
//! string     = "'" { character | escape } "'" | '"' { character | escape } '"'
//! escape     = "\\" | "\'" | "\"" | "\n" | "\t" | "\r" | "\u" four hexadecimal digits
//! name       = ( letter | "_" ) { letter | digit | "_" }  ASCII; not a keyword, except after "."
//! ```
//!
//! The keywords are `null true false and or not in`. White space is blank, tab, carriage return and newline; a string
//! ends on its line.
//!
//! # Precedence
//!
//! | loosest to tightest | operators | in a row |
//! |---|---|---|
//! | choice | `c ? a : b` | `a ? b : c ? d : e` is `a ? b : (c ? d : e)` |
//! | or | `\|\|` `or` | from the left |
//! | and | `&&` `and` | from the left |
//! | not | `not` | allowed |
//! | equality | `==` `!=` | refused without parentheses |
//! | relation | `<` `<=` `>` `>=` `in` `not in` | refused without parentheses |
//! | sum | `+` `-` | from the left |
//! | product | `*` `/` `%` | from the left |
//! | prefix | `!` `-` | allowed |
//! | step | `.name` `[index]` | from the left |
//!
//! `not` and `!` do the same; each binds as in the languages it comes from, so `not a == b` is `!(a == b)`.
//!
//! # Meaning
//!
//! - **Names and steps.** A missing name, key or item is null, and so is every step into null or into a scalar. A dotted
//!   host name such as `host.phase` is the path it looks like. `x.key` is `x["key"]`.
//! - **Booleans.** `&&`, `||`, `!` and `?` take booleans only; there is no truthiness. `&&`, `||`, `?` and
//!   `default` evaluate only what decides.
//! - **Numbers** are compared and computed by value: `1 == 1.0`, `7 / 2` is 3.5 and `6 / 2` is 3. Whole numbers are exact
//!   from -2^63 to 2^64-1, all others are IEEE 754 doubles. `%` has the sign of its left operand.
//! - **Strings** are ordered by code point. `+` joins two strings and adds two numbers, and takes nothing else.
//! - **Equality** is deep, knows numbers by value, ignores the order of map keys, and never fails.
//! - **`in`** looks for an item of a list, a key of a map or a substring of a string.
//!
//! # Functions
//!
//! | call | gives |
//! |---|---|
//! | `size(value)` | the characters of a string, the items of a list, the entries of a map |
//! | `starts_with(text, prefix)`, `ends_with(text, suffix)` | whether the text does |
//! | `contains(container, item)` | the same as `item in container` |
//! | `lower(text)`, `upper(text)`, `trim(text)` | the text in lower or upper case, or without white space around it |
//! | `default(value, fallback)` | the value, or the fallback when the value is null |
//! | `exists(path)` | whether there is something other than null at the path |
//! | `string(value)` | a string as it is, a number or a boolean as JSON, without an exponent |
//! | `number(value)` | a number as it is, or the JSON number that a string holds |

mod caret;
mod condition;
mod error;
mod evaluate;
mod expression;
mod function;
mod lexer;
pub mod limits;
mod number;
mod operator;
mod parser;
mod path;
mod print;
mod roots;
mod scope;
mod span;
mod token;
mod tree;
mod value;

pub use condition::Condition;
pub use error::{EvalError, ExprError};
pub use expression::Expression;
pub use path::{Path, Segment};
pub use scope::{Layered, Scope};
pub use span::Span;
