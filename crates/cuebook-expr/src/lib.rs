//! One pure condition language for edges, inputs and rules.
