//! One template as one file: front matter and text where that reads back the same, JSON where it does not.

use cuebook_template::Source;
use cuebook_wire::{PromptTemplate, TemplateMeta, strict};
use serde_json::{Map, Value as Json, json};

use crate::document::Document;

/// The longest name that a file gets, in bytes; ids and versions can be longer together.
const MAX_NAME: usize = 200;

/// A file that holds one template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TemplateFile {
    pub(super) name: String,
    pub(super) content: String,
}

impl TemplateFile {
    /// The file of a template, as its author decides it.
    pub(super) fn of(template: &PromptTemplate) -> Self {
        let template = authored(template);
        let stem = stem(&template);
        match front_matter(&template).filter(|content| reads_back(content, &template)) {
            Some(content) => Self { name: format!("{stem}.md"), content },
            None => Self { name: format!("{stem}.json"), content: format!("{:#}\n", json!(template)) },
        }
    }
}

/// The template without what a host stamps on it.
pub(super) fn authored(template: &PromptTemplate) -> PromptTemplate {
    let author = template.meta.as_ref().and_then(|meta| meta.author.clone());
    let meta = author.map(|author| TemplateMeta { author: Some(author), ..TemplateMeta::default() });
    PromptTemplate { meta, ..template.clone() }
}

fn stem(template: &PromptTemplate) -> String {
    let stem = format!("{}@{}", template.template_id, template.version);
    if stem.len() <= MAX_NAME {
        return stem;
    }
    let hash = cuebook_prompt::ContentHash::of(&stem).to_string();
    format!("{}-{}", &stem[..MAX_NAME - 9], &hash[hash.len() - 8..])
}

/// TOML between `+++` lines, then the text and a line end; none where TOML cannot say it.
fn front_matter(template: &PromptTemplate) -> Option<String> {
    let Json::Object(mut members) = json!(template) else { return None };
    let text = members.remove("text")?;
    let matter = toml::to_string(&plain_first(members)).ok()?;
    Some(format!("+++\n{matter}+++\n{}\n", text.as_str()?))
}

/// The members with tables and lists of tables last, as TOML needs it.
fn plain_first(members: Map<String, Json>) -> Map<String, Json> {
    let is_table = |value: &Json| match value {
        Json::Object(_) => true,
        Json::Array(items) => items.iter().any(Json::is_object),
        _ => false,
    };
    let (tables, plain): (Vec<_>, Vec<_>) = members.into_iter().partition(|(_, value)| is_table(value));
    plain.into_iter().chain(tables).collect()
}

fn reads_back(content: &str, template: &PromptTemplate) -> bool {
    let document = Document::front_matter(Source::new("", content));
    let read = document.ok().and_then(|it| strict::read::<PromptTemplate>(it.value()).ok());
    // As JSON, because a number may be written in more than one way.
    let as_text = |template: &PromptTemplate| json!(template).to_string();
    read.is_some_and(|read| as_text(&read) == as_text(template))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str, variables: &Json) -> PromptTemplate {
        let document = json!({
            "templateId": "house.tone", "version": "1.0.0-rc.1+b", "kind": "user", "text": text,
            "variables": variables, "tags": ["a"], "modelHints": {"temperature": 0.5},
        });
        serde_json::from_value(document).expect("a template")
    }

    #[track_caller]
    fn check(text: &str, default: &Json, extension: &str) {
        let variables = json!([{"name": "a", "type": "object", "required": false, "source": "input", "defaultValue": default}]);
        let template = of(text, &variables);
        let file = TemplateFile::of(&template);
        assert_eq!(file.name, format!("house.tone@1.0.0-rc.1+b.{extension}"), "{}", file.content);
        if extension == "md" {
            assert!(reads_back(&file.content, &template));
            assert!(file.content.ends_with(&format!("+++\n{text}\n")), "{}", file.content);
        }
    }

    #[test]
    fn a_text_stands_by_itself_where_it_reads_back_the_same() {
        for text in ["", "one", "two\n", "+++\nx\n+++\n", "  {{a}}  \r\n\u{FEFF}", "\n\n"] {
            check(text, &json!({"b": 1, "c": [true, "x", {"d": 1.5}]}), "md");
        }
        check("ends\r", &json!({}), "json");
        check("null", &json!({"b": null}), "json");
        check("large", &json!({"b": 18_446_744_073_709_551_615_u64}), "md");
    }

    #[test]
    fn what_a_host_stamps_is_left_out() {
        let mut template = of("x", &json!([]));
        let plain = TemplateFile::of(&template);
        template.meta = serde_json::from_value(json!({
            "createdAt": "2026-01-01T00:00:00Z", "source": "user", "updatedAt": "2026-01-02T00:00:00Z",
        }))
        .expect("provenance");
        assert_eq!(TemplateFile::of(&template), plain);
        template.meta = serde_json::from_value(json!({"author": "A", "source": "user"})).expect("provenance");
        assert!(TemplateFile::of(&template).content.contains("author = \"A\""));
    }

    proptest! {
        #[test]
        fn every_file_reads_back_as_its_template(text in "(.|\r|\n|\\+\\+\\+\n){0,20}", default in ".{0,8}") {
            let variables = json!([{
                "name": "a", "type": "string", "required": false, "source": "input", "defaultValue": default,
            }]);
            let template = of(&text, &variables);
            let file = TemplateFile::of(&template);
            let source = Source::new("", file.content.as_str());
            let is_json = file.content.starts_with('{');
            let document = if is_json { Document::json(source) } else { Document::front_matter(source) };
            let read = strict::read::<PromptTemplate>(document.expect("a document").value()).expect("a template");
            prop_assert_eq!(read, template);
        }
    }
}
