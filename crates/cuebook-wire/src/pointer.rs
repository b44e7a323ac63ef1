//! Owns the steps of JSON Pointers (RFC 6901): writing one and reading all. Refuses to follow them: what they lead through is
//! the reader's.

/// A step to the member `key`, its slash included.
pub fn step(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The steps of `pointer`, decoded.
pub fn steps(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_read_back_as_the_keys_they_were_written_from() {
        for key in ["", "a", "a/b", "~", "~1", "/~0/"] {
            assert_eq!(steps(&step(key)).collect::<Vec<_>>(), [key], "of {key:?}");
        }
        assert_eq!(steps("/a~1b/~01/0").collect::<Vec<_>>(), ["a/b", "~1", "0"]);
        assert_eq!(steps("").count(), 0);
    }
}
