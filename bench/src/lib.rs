//! Our template engine beside three others and a floor written by hand, on the same prompt.
//!
//! It owns nothing but the benchmark `engines`; the product does not know of it.
