//! What is compiled for a card.

/// A program in CUDA C++: one text, the headers that it includes, and the compiler's options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The text with the entries.
    pub source: String,
    /// Names of headers as they are included, and their texts.
    pub headers: Vec<(String, String)>,
    /// Options beyond those that every compilation has: what is defined, for instance.
    pub options: Vec<String>,
}
