//! Prompt templates: source to program to text, with a source map.
