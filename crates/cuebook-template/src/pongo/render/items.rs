//! What a `for` block goes through: one answer for loops in the order of the data and for all others.

use std::iter::Enumerate;
use std::slice;
use std::str::CharIndices;

use crate::pongo::context::Node;
use crate::pongo::map::Map;
use crate::pongo::view::{Data, View};
use crate::trust::Trust;

/// The items of a list, the characters of a string, the keys and values of a map; nothing for all else.
///
/// Each is at best as trusted as the whole.
pub(super) struct Items<'a> {
    rest: Rest<'a>,
    trust: Trust,
}

/// An item or key, and the value of a key.
pub(super) type Item<'a> = (View<'a>, Option<View<'a>>);

enum Rest<'a> {
    List(slice::Iter<'a, Node>),
    Views(slice::Iter<'a, View<'a>>),
    Map(&'a Map, Enumerate<slice::Iter<'a, Node>>),
    Str(&'a str, CharIndices<'a>),
    Nothing,
}

impl<'a> Items<'a> {
    pub(super) fn of(sequence: View<'a>) -> Self {
        let rest = match sequence.data {
            Data::List(items) => Rest::List(items.iter()),
            Data::Views(items, _) => Rest::Views(items.iter()),
            Data::Map(members) => Rest::Map(members, members.values().enumerate()),
            Data::Str(text) => Rest::Str(text, text.char_indices()),
            _ => Rest::Nothing,
        };
        Self { rest, trust: sequence.trust }
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        let trust = self.trust;
        match &mut self.rest {
            Rest::List(items) => Some((View::new(Data::from(items.next()?), trust), None)),
            Rest::Views(items) => {
                let item = *items.next()?;
                Some((View { trust: item.trust.join(trust), ..item }, None))
            }
            Rest::Map(members, values) => {
                let (place, node) = values.next()?;
                let key = View::new(Data::Str(members.key(place)?), trust);
                Some((key, Some(View::new(Data::from(node), trust))))
            }
            Rest::Str(text, characters) => {
                let (start, character) = characters.next()?;
                let one = &text[start..start + character.len_utf8()];
                Some((View::new(Data::Str(one), trust), None))
            }
            Rest::Nothing => None,
        }
    }
}
