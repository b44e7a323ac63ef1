//! Times in the layouts of Go: a layout is the moment `Mon Jan 2 15:04:05 -0700 MST 2006` as it would be written.
//!
//! It owns the elements of a layout and how each is written. It refuses errors: what is no element is text.

use super::civil::Civil;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// How an element is written.
type Write = fn(&Civil) -> String;

/// The elements but for fractions of a second; one that begins with another stands before it.
static ELEMENTS: [(&str, Write); 34] = [
    ("January", |time| month(time).to_owned()),
    ("Jan", |time| month(time)[..3].to_owned()),
    ("Monday", |time| DAYS[time.weekday()].to_owned()),
    ("Mon", |time| DAYS[time.weekday()][..3].to_owned()),
    ("MST", |time| if time.offset == 0 { "UTC".to_owned() } else { offset(time, "", true) }),
    ("002", |time| format!("{:03}", time.day_of_year())),
    ("01", |time| format!("{:02}", time.month)),
    ("02", |time| format!("{:02}", time.day)),
    ("03", |time| format!("{:02}", hour12(time))),
    ("04", |time| format!("{:02}", time.minute)),
    ("05", |time| format!("{:02}", time.second)),
    ("06", |time| format!("{:02}", time.year % 100)),
    ("15", |time| format!("{:02}", time.hour)),
    ("1", |time| time.month.to_string()),
    ("2006", |time| format!("{:04}", time.year)),
    ("2", |time| time.day.to_string()),
    ("__2", |time| format!("{:3}", time.day_of_year())),
    ("_2006", |time| format!("_{:04}", time.year)),
    ("_2", |time| format!("{:2}", time.day)),
    ("3", |time| hour12(time).to_string()),
    ("4", |time| time.minute.to_string()),
    ("5", |time| time.second.to_string()),
    ("PM", |time| if time.hour < 12 { "AM".to_owned() } else { "PM".to_owned() }),
    ("pm", |time| if time.hour < 12 { "am".to_owned() } else { "pm".to_owned() }),
    ("-070000", |time| offset(time, "", true) + "00"),
    ("-07:00:00", |time| offset(time, ":", true) + ":00"),
    ("-0700", |time| offset(time, "", true)),
    ("-07:00", |time| offset(time, ":", true)),
    ("-07", |time| offset(time, "", false)),
    ("Z070000", |time| zulu(time, |time| offset(time, "", true) + "00")),
    ("Z07:00:00", |time| zulu(time, |time| offset(time, ":", true) + ":00")),
    ("Z0700", |time| zulu(time, |time| offset(time, "", true))),
    ("Z07:00", |time| zulu(time, |time| offset(time, ":", true))),
    ("Z07", |time| zulu(time, |time| offset(time, "", false))),
];

/// The time as the layout says.
pub(crate) fn format(layout: &str, time: &Civil) -> String {
    let mut out = String::with_capacity(layout.len() + 16);
    let mut rest = layout;
    while let Some(first) = rest.chars().next() {
        let len = if let Some((pattern, write)) = element(rest) {
            out.push_str(&write(time));
            pattern.len()
        } else if let Some(len) = fraction(rest) {
            out.push_str(&write_fraction(&rest[..len], time.nanosecond));
            len
        } else {
            out.push(first);
            first.len_utf8()
        };
        rest = &rest[len..];
    }
    out
}

/// The element with which a layout begins.
fn element(layout: &str) -> Option<&'static (&'static str, Write)> {
    ELEMENTS.iter().find(|(pattern, _)| {
        // A short name that goes on in small letters is another word.
        let goes_on = |rest: &str| rest.starts_with(|it: char| it.is_ascii_lowercase());
        let is_short_name = matches!(*pattern, "Jan" | "Mon");
        layout.strip_prefix(pattern).is_some_and(|rest| !(is_short_name && goes_on(rest)))
    })
}

/// The bytes of a fraction of a second: a point or comma, then all 0 or all 9 up to what is no digit.
fn fraction(layout: &str) -> Option<usize> {
    let digits = layout.strip_prefix(['.', ','])?;
    let first = digits.chars().next().filter(|it| ['0', '9'].contains(it))?;
    let rest = digits.trim_start_matches(first);
    let ends = !rest.starts_with(|it: char| it.is_ascii_digit());
    ends.then_some(layout.len() - rest.len())
}

/// As many digits as the layout has, at most nine; with 9 in place of 0 those at the end that are 0 are left out.
fn write_fraction(layout: &str, nanosecond: u32) -> String {
    let len = layout.len().min(10);
    let digits = format!("{}{nanosecond:09}", &layout[..1]);
    let written = &digits[..len];
    if layout.ends_with('0') {
        return written.to_owned();
    }
    written.trim_end_matches('0').trim_end_matches(['.', ',']).to_owned()
}

fn month(time: &Civil) -> &'static str {
    MONTHS.get(usize::from(time.month).wrapping_sub(1)).copied().unwrap_or("%!Month")
}

fn hour12(time: &Civil) -> u8 {
    if time.hour.is_multiple_of(12) { 12 } else { time.hour % 12 }
}

/// The offset with its sign, with or without minutes.
fn offset(time: &Civil, separator: &str, minutes: bool) -> String {
    let sign = if time.offset < 0 { '-' } else { '+' };
    let (hours, rest) = (time.offset.unsigned_abs() / 60, time.offset.unsigned_abs() % 60);
    if minutes { format!("{sign}{hours:02}{separator}{rest:02}") } else { format!("{sign}{hours:02}") }
}

/// `Z` for UTC, the offset for all else.
fn zulu(time: &Civil, offset: Write) -> String {
    if time.offset == 0 { "Z".to_owned() } else { offset(time) }
}

#[cfg(test)]
mod tests {
    use super::super::civil::Civil;
    use super::format;

    #[track_caller]
    fn check(time: &str, layout: &str, expect: &str) {
        let time = Civil::parse(time).expect("it is a time");
        assert_eq!(format(layout, &time), expect, "{layout}");
    }

    #[test]
    fn the_reference_time_is_its_own_layout() {
        for layout in [
            "Mon Jan 2 15:04:05 2006",
            "Monday, 02-Jan-06 15:04:05 -0700",
            "Mon, 02 Jan 2006 15:04:05 -0700",
            "2006-01-02T15:04:05-07:00",
            "3:04PM, January 2, day 002",
        ] {
            check("2006-01-02T15:04:05-07:00", layout, layout);
        }
    }

    #[test]
    fn elements_of_another_time() {
        let time = "2024-11-09T00:07:08.0506Z";
        for (layout, expect) in [
            ("Monday Mon January Jan", "Saturday Sat November Nov"),
            ("1 01 2 02 _2 002 __2 06 2006 _2006", "11 11 9 09  9 314 314 24 2024 _2024"),
            ("15 3 03 4 04 5 05 PM pm", "00 12 12 7 07 8 08 AM am"),
            ("Z07:00 Z0700 Z07 Z070000 Z07:00:00 MST", "Z Z Z Z Z UTC"),
            ("-07 -0700 -07:00 -070000 -07:00:00", "+00 +0000 +00:00 +000000 +00:00:00"),
            ("05.000 05,00 05.999 05.9999999 05.0000000000", "08.050 08,05 08.05 08.0506 08.050600000"),
            (".99 .9 x.01 .0", ".05  x.11 .0"),
            ("Janus Month MSt Z P J _ é", "Janus Month MSt Z P J _ é"),
            ("", ""),
        ] {
            check(time, layout, expect);
        }
    }

    #[test]
    fn offsets_and_hours() {
        for (time, expect) in [
            ("2024-01-01T12:00:00+05:30", "12PM +0530 +05:30 +05 +0530 +05:30:00"),
            ("2024-01-01T13:00:00-00:30", "1PM -0030 -00:30 -00 -0030 -00:30:00"),
            ("2024-01-01T00:00:00Z", "12AM UTC Z Z Z Z"),
        ] {
            check(time, "3PM MST Z07:00 Z07 Z0700 Z07:00:00", expect);
        }
        check("2024-01-01T00:00:00.5Z", "05.999 05.000", "00.5 00.500");
        check("2024-01-01T00:00:00Z", "05.999 05.000", "00 00.000");
    }
}
