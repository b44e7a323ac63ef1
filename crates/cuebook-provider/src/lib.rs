//! Models: a deterministic built-in one and any OpenAI-compatible endpoint.
