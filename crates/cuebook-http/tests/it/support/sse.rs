//! Server-sent events as they come over the wire (WHATWG HTML §9.2.6).

use axum::body::{Body, BodyDataStream};
use futures_util::StreamExt as _;
use serde_json::Value as Json;

/// One event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) id: String,
    pub(crate) event: String,
    pub(crate) data: Json,
}

/// The frames of a whole stream; lines end in LF alone, and every frame has exactly one line of each field.
#[track_caller]
pub(crate) fn frames(text: &str) -> Vec<Frame> {
    assert!(!text.contains('\r'), "a bare CR would end a line");
    assert!(text.is_empty() || text.ends_with("\n\n"), "the last frame is cut off: {text:?}");
    text.split_terminator("\n\n").filter(|block| !block.starts_with(':')).map(frame).collect()
}

#[track_caller]
fn frame(block: &str) -> Frame {
    let field = |name: &str| {
        let values: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix(name)).collect();
        assert_eq!(values.len(), 1, "{name} in {block:?}");
        values[0].strip_prefix(": ").unwrap().to_owned()
    };
    Frame {
        id: field("id"),
        event: field("event"),
        data: serde_json::from_str(&field("data")).unwrap_or_else(|error| panic!("{error} in {block:?}")),
    }
}

/// A stream under way.
pub(crate) struct EventStream {
    body: BodyDataStream,
    text: String,
}

impl EventStream {
    pub(super) fn new(body: Body) -> Self {
        Self { body: body.into_data_stream(), text: String::new() }
    }

    /// The next frame; none when the stream is over.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some((block, _)) = self.text.split_once("\n\n") {
                let found = (!block.starts_with(':')).then(|| frame(block));
                self.text.drain(..block.len() + 2);
                if found.is_some() {
                    return found;
                }
                continue;
            }
            let bytes = self.body.next().await?.unwrap();
            self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        }
    }
}
