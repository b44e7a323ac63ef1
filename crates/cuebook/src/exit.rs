//! The exit codes, the same for every command.

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// 0: fine.
    Fine,
    /// 1: there are findings, or the run failed.
    Findings,
    /// 2: usage, configuration or input is wrong; nothing was done.
    Usage,
    /// 3: a prompt composed again is not what the log says.
    Divergence,
    /// 130: interrupted.
    Interrupted,
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Fine => 0,
            Exit::Findings => 1,
            Exit::Usage => 2,
            Exit::Divergence => 3,
            Exit::Interrupted => 130,
        })
    }
}

/// What the help of every command ends with: its examples, the exit codes and the environment.
macro_rules! help {
    ($($example:literal),+ $(,)?) => {
        concat!(
            "Examples:\n",
            $("  ", $example, "\n",)+
            "
Exit codes:
  0    fine
  1    findings, or the run failed
  2    usage, configuration or input is wrong; nothing was done
  3    a prompt composed again is not what the log says
  130  interrupted

Environment:
  NO_COLOR  no colour, whatever the terminal"
        )
    };
}
pub(crate) use help;
