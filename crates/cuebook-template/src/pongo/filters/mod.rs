//! The filters of pongo2 6.0.0, by name.
//!
//! It owns the table, and what a filter may be. It refuses trust: a filter sees no more than values, and whoever
//! calls one joins the trust of the input and of the argument into the result, so that no filter can lose it.
//!
//! Three rules go beyond the original. Lists and maps read as JSON, never as Go's names for them. Where the original
//! ends in a crash, the filter gives an error, or, as `wordwrap`, does what was meant. A number that asks for padding
//! or digits is held against [`LimitKind::FilterArgument`].

use super::buffer::Buffer;
use super::env::Env;
use super::fault::Fault;
use super::limits::LimitKind;
use super::view::Data;

mod case;
mod choice;
mod civil;
mod date;
mod escape;
mod golayout;
mod html;
mod justify;
mod list;
mod number;
mod printf;
mod truncate;
mod truncate_html;
mod urlize;
mod words;

#[cfg(test)]
mod cases;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod testing;

pub use civil::Civil;
pub(crate) use escape::escape_markup;
pub(crate) use golayout::format as format_time;

/// A filter.
#[derive(Debug)]
pub(crate) struct Filter {
    pub(crate) name: &'static str,
    pub(crate) run: Run,
}

/// What a filter does with its input and its argument; an absent argument is [`Data::Nil`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Run {
    /// Gives another value.
    Value(ValueFn),
    /// Writes a text; at the end of a chain it goes to the output without a copy.
    Text(TextFn),
}

type ValueFn = for<'a> fn(&Env<'a>, Data<'a>, Data<'a>) -> Result<Data<'a>, Fault>;
type TextFn = for<'a> fn(&Env<'a>, Data<'a>, Data<'a>, &mut Buffer) -> Result<(), Fault>;

impl Filter {
    const fn value(name: &'static str, run: ValueFn) -> Self {
        Self { name, run: Run::Value(run) }
    }

    const fn text(name: &'static str, run: TextFn) -> Self {
        Self { name, run: Run::Text(run) }
    }

    /// Whether its result is markup that autoescape leaves alone; `safe` marks a whole chain instead.
    pub(crate) fn gives_markup(&self) -> bool {
        matches!(self.name, "truncatechars_html" | "truncatewords_html")
    }
}

/// All filters, sorted by name.
static FILTERS: [Filter; 51] = [
    Filter::value("add", number::add),
    Filter::text("addslashes", escape::addslashes),
    Filter::text("capfirst", case::capfirst),
    Filter::value("center", justify::center),
    Filter::text("cut", escape::cut),
    Filter::text("date", date::date),
    Filter::value("default", choice::default),
    Filter::value("default_if_none", choice::default_if_none),
    Filter::value("divisibleby", number::divisibleby),
    Filter::text("e", escape::escape),
    Filter::text("escape", escape::escape),
    Filter::text("escapejs", escape::escapejs),
    Filter::value("first", list::first),
    Filter::value("float", number::float),
    Filter::value("floatformat", number::floatformat),
    Filter::value("get_digit", number::get_digit),
    Filter::value("integer", number::integer),
    Filter::text("iriencode", escape::iriencode),
    Filter::text("join", list::join),
    Filter::value("last", list::last),
    Filter::value("length", list::length),
    Filter::value("length_is", list::length_is),
    Filter::value("linebreaks", html::linebreaks),
    Filter::text("linebreaksbr", html::linebreaksbr),
    Filter::text("linenumbers", words::linenumbers),
    Filter::text("ljust", justify::ljust),
    Filter::text("lower", case::lower),
    Filter::value("make_list", list::make_list),
    Filter::text("phone2numeric", escape::phone2numeric),
    Filter::text("pluralize", choice::pluralize),
    Filter::value("random", list::random),
    Filter::value("removetags", html::removetags),
    Filter::text("rjust", justify::rjust),
    Filter::value("safe", choice::safe),
    Filter::value("slice", list::slice),
    Filter::value("split", list::split),
    Filter::text("stringformat", printf::stringformat),
    Filter::value("striptags", html::striptags),
    Filter::text("time", date::date),
    Filter::text("title", case::title),
    Filter::text("truncatechars", truncate::chars),
    Filter::text("truncatechars_html", truncate_html::chars),
    Filter::text("truncatewords", truncate::words),
    Filter::text("truncatewords_html", truncate_html::words),
    Filter::text("upper", case::upper),
    Filter::text("urlencode", escape::urlencode),
    Filter::text("urlize", urlize::urlize),
    Filter::text("urlizetrunc", urlize::urlizetrunc),
    Filter::value("wordcount", words::wordcount),
    Filter::value("wordwrap", words::wordwrap),
    Filter::text("yesno", choice::yesno),
];

/// The filter called `name`.
pub(crate) fn find(name: &str) -> Option<&'static Filter> {
    let at = FILTERS.binary_search_by(|filter| filter.name.cmp(name)).ok()?;
    FILTERS.get(at)
}

/// The names of all filters, sorted.
pub(crate) fn names() -> impl ExactSizeIterator<Item = &'static str> {
    FILTERS.iter().map(|filter| filter.name)
}

/// A count as a template's integer.
fn count(count: usize) -> Data<'static> {
    Data::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

/// How much of something `number` asks for; less than nothing is nothing.
///
/// # Errors
///
/// `template_limit_exceeded` when it is beyond [`LimitKind::FilterArgument`].
fn bounded(env: &Env<'_>, number: i64) -> Result<usize, Fault> {
    let asked = amount(number);
    env.limits().check(LimitKind::FilterArgument, asked)?;
    Ok(asked)
}

/// A number as a count; less than nothing is nothing.
fn amount(number: i64) -> usize {
    usize::try_from(number.max(0)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::{FILTERS, find, names};

    #[test]
    fn the_table_is_sorted_and_complete() {
        assert!(FILTERS.is_sorted_by(|a, b| a.name < b.name));
        assert!(names().all(|name| find(name).is_some_and(|filter| filter.name == name)));
        assert!(["", "Upper", "uppe", "upper ", "zzz"].iter().all(|name| find(name).is_none()));
    }

    #[test]
    fn only_two_filters_give_markup() {
        let markup: Vec<_> =
            FILTERS.iter().filter(|filter| filter.gives_markup()).map(|it| it.name).collect();
        assert_eq!(markup, ["truncatechars_html", "truncatewords_html"]);
    }
}
