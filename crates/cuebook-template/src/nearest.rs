//! "Did you mean": the known name closest to one that is not known.
//!
//! It owns the threshold, so that every crate suggests alike. It refuses to guess: a name too far from all candidates
//! gets no suggestion.

/// Longest name, in bytes, for which a suggestion is looked for; no identifier of ours is longer.
const MAX_NAME_BYTES: usize = 256;

/// The candidate nearest to `name`, if one is near enough to be a likely slip of the pen.
///
/// A candidate that differs only in ASCII case is always near enough. Otherwise the distance counts insertions,
/// deletions, substitutions and swaps of neighbours, and may be at most a third of the longer name's characters, at
/// least 1. Of equally near candidates the first wins.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        let Some(distance) = distance(name, candidate) else { continue };
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The distance between two names, or `None` when they are too far apart to be confused.
fn distance(name: &str, candidate: &str) -> Option<usize> {
    if name.len() > MAX_NAME_BYTES || candidate.len() > MAX_NAME_BYTES {
        return None;
    }
    if name.eq_ignore_ascii_case(candidate) {
        return Some(0);
    }
    let longer = name.chars().count().max(candidate.chars().count());
    let distance = strsim::osa_distance(&name.to_ascii_lowercase(), &candidate.to_ascii_lowercase());
    (distance <= (longer / 3).max(1) && distance < longer).then_some(distance)
}
