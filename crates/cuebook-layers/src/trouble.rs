//! How the tests of this crate look at errors: place, message and, where a name was meant, which.

use cuebook_template::Diagnostic;

/// Each as one line.
pub(crate) fn shown(problems: &[Diagnostic]) -> Vec<String> {
    problems.iter().map(line).collect()
}

fn line(problem: &Diagnostic) -> String {
    let place = problem.label.as_ref().map(|label| format!("{label} ")).unwrap_or_default();
    let hint = match (&problem.nearest, &problem.hint) {
        (None, None) => String::new(),
        (_, Some(hint)) => format!(" ({hint})"),
        (Some(name), None) => format!(" ({name})"),
    };
    format!("{place}{}{hint}", problem.message)
}
