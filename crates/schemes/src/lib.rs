//! Schemes of the papers beside FV, for research and comparison: most are broken or weak by today's knowledge.
//! Each set of parameters is reached by its name only and has a line that says what is wrong with it.
//!
//! * [`integers`]: encryption of bits over the integers, by Coron, Naccache and Tibouchi.

pub mod integers;
