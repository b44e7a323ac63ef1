//! A point in time as a clock on a wall shows it.
//!
//! It owns the fields, their reading from RFC 3339, and the calendar that days of the week need. It refuses time
//! zones: there is an offset, and no name but UTC.

/// Date, time of day and offset in the proleptic Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// 0 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31, as the month has it.
    pub day: u8,
    /// 0 to 23.
    pub hour: u8,
    /// 0 to 59.
    pub minute: u8,
    /// 0 to 59.
    pub second: u8,
    /// 0 to 999,999,999.
    pub nanosecond: u32,
    /// Minutes east of UTC, within a day; 0 is UTC.
    pub offset: i16,
}

impl Civil {
    /// Reads a `date-time` of RFC 3339, section 5.6; digits beyond nanoseconds are cut off. `None` for all else, and
    /// for a leap second, which the original does not know either.
    pub fn parse(text: &str) -> Option<Self> {
        let mut reader = Reader(text.as_bytes());
        let year = reader.number(4)?;
        let month = reader.after(b"-").and_then(|()| reader.number(2))?;
        let day = reader.after(b"-").and_then(|()| reader.number(2))?;
        let hour = reader.after(b"Tt").and_then(|()| reader.number(2))?;
        let minute = reader.after(b":").and_then(|()| reader.number(2))?;
        let second = reader.after(b":").and_then(|()| reader.number(2))?;
        let nanosecond = if reader.after(b".").is_some() { reader.fraction()? } else { 0 };
        let offset = reader.offset()?;
        let [month, day, hour, minute, second] =
            [month, day, hour, minute, second].map(|field| u8::try_from(field).unwrap_or(u8::MAX));
        let civil = Self { year, month, day, hour, minute, second, nanosecond, offset };
        (reader.0.is_empty() && civil.exists()).then_some(civil)
    }

    fn exists(&self) -> bool {
        let days = (1..=12).contains(&self.month).then(|| days_before(self.year, self.month));
        let days = days.map(|before| days_before(self.year, self.month + 1) - before);
        days.is_some_and(|days| (1..=days).contains(&u16::from(self.day)))
            && self.hour < 24
            && self.minute < 60
            && self.second < 60
    }

    /// The day of the year, from 1.
    pub(crate) fn day_of_year(&self) -> u16 {
        days_before(self.year, self.month) + u16::from(self.day)
    }

    /// The day of the week; 0 is Sunday.
    pub(crate) fn weekday(&self) -> usize {
        let years = usize::from(self.year) + 399;
        let leap_days = years / 4 - years / 100 + years / 400;
        (years + leap_days + usize::from(self.day_of_year())) % 7
    }
}

/// Days of a year before a month; month 13 is the year after.
fn days_before(year: u16, month: u8) -> u16 {
    const DAYS: [u16; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let before = DAYS.iter().take(usize::from(month).saturating_sub(1)).sum::<u16>();
    before + u16::from(leap && month > 2)
}

/// Takes fields off the front of a text.
struct Reader<'t>(&'t [u8]);

impl Reader<'_> {
    fn after(&mut self, any_of: &[u8]) -> Option<()> {
        let (first, rest) = self.0.split_first()?;
        any_of.contains(first).then(|| self.0 = rest)
    }

    fn digit(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        first.is_ascii_digit().then(|| {
            self.0 = rest;
            first - b'0'
        })
    }

    /// A number of exactly so many digits, at most four.
    fn number(&mut self, digits: usize) -> Option<u16> {
        (0..digits).try_fold(0, |number, _| Some(number * 10 + u16::from(self.digit()?)))
    }

    /// One digit or more as nanoseconds.
    fn fraction(&mut self) -> Option<u32> {
        let mut weight = 100_000_000;
        let mut nanoseconds = u32::from(self.digit()?) * weight;
        while let Some(digit) = self.digit() {
            weight /= 10;
            nanoseconds += u32::from(digit) * weight;
        }
        Some(nanoseconds)
    }

    fn offset(&mut self) -> Option<i16> {
        if self.after(b"Zz").is_some() {
            return Some(0);
        }
        let west = self.after(b"-").is_some();
        if !west {
            self.after(b"+")?;
        }
        let hours = self.number(2).filter(|hours| *hours < 24)?;
        self.after(b":")?;
        let minutes = self.number(2).filter(|minutes| *minutes < 60)?;
        let offset = i16::try_from(hours * 60 + minutes).ok()?;
        Some(if west { -offset } else { offset })
    }
}

#[cfg(test)]
mod tests {
    use super::Civil;

    #[track_caller]
    fn check(text: &str, weekday: usize, day_of_year: u16) {
        let civil = Civil::parse(text).expect("it is a time");
        assert_eq!((civil.weekday(), civil.day_of_year()), (weekday, day_of_year), "{text}");
    }

    #[test]
    fn days_of_week_and_year() {
        check("2006-01-02T15:04:05Z", 1, 2);
        check("1970-01-01T00:00:00Z", 4, 1);
        check("2000-02-29T00:00:00Z", 2, 60);
        check("2024-12-31T23:59:59Z", 2, 366);
        check("1900-03-01T00:00:00Z", 4, 60);
        check("0000-01-01T00:00:00Z", 6, 1);
        check("9999-12-31T00:00:00Z", 5, 365);
    }

    #[test]
    fn fields() {
        let civil = Civil::parse("2024-02-29t01:02:03.0456-05:30");
        let expect = Civil {
            year: 2024,
            month: 2,
            day: 29,
            hour: 1,
            minute: 2,
            second: 3,
            nanosecond: 45_600_000,
            offset: -330,
        };
        assert_eq!(civil, Some(expect));
        let precise = Civil::parse("2024-02-29T01:02:03.1234567899999Z").map(|civil| civil.nanosecond);
        assert_eq!(precise, Some(123_456_789));
    }

    #[test]
    fn what_is_no_time() {
        for text in [
            "",
            "2024-02-29",
            "2023-02-29T00:00:00Z",
            "2024-00-01T00:00:00Z",
            "2024-13-01T00:00:00Z",
            "2024-01-00T00:00:00Z",
            "2024-01-32T00:00:00Z",
            "2024-01-01T24:00:00Z",
            "2024-01-01T00:60:00Z",
            "2024-01-01T00:00:60Z",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00Zx",
            "2024-01-01T00:00:00+24:00",
            "2024-01-01T00:00:00+0100",
            "2024-01-01T00:00:00+01:60",
            "24-01-01T00:00:00Z",
            "２024-01-01T00:00:00Z",
        ] {
            assert_eq!(Civil::parse(text), None, "{text}");
        }
    }
}
