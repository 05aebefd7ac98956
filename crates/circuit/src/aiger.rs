//! Circuits of ANDs and complements: the AIGER format, as text and in binary.
//!
//! AIGER (<https://fmv.jku.at/aiger/>; versions 1.0 and 1.9) is the usual format of and-inverter graphs, which
//! synthesis tools such as Yosys and ABC write. A *literal* `2v` is the variable `v` and `2v + 1` its
//! complement; the literals 0 and 1 are constants. A text file is
//!
//! ```text
//! aag M I L O A      the greatest variable, the numbers of inputs, latches, outputs and ANDs
//! literal            one line for each input
//! literal            one line for each output
//! literal a b        one line for each AND, in any order: the product of `a` and `b`
//! i0 name            symbols: names of inputs and outputs by their numbers; as many as there are
//! o0 name
//! c                  comments, to the end of the file
//! ```
//!
//! A binary file begins with `aig`. Its inputs are the variables from 1 on, and its ANDs those that follow: of
//! each the differences from its own literal to the greater operand and from there to the other, in bytes of
//! seven bits. [`read`] takes either, and says of latches and of properties to be proven (`B`, `C`, `J` and `F`
//! in the header of version 1.9) that a circuit has none.
//!
//! **Ports.** Inputs named `a[0]`, `a[1]` and so on are the port `a`, whose bit of the lowest index is the
//! least significant; a name without an index is a port of one bit. Without symbols all inputs are the port
//! `in` and all outputs the port `out`, in their order; to have them as several ports, add symbols behind the
//! ANDs. All inputs are private.
//!
//! **XOR** takes three ANDs in such a graph, and a multiplexer as many. [`read`] writes them, and sums of
//! terms that exclude each other, as sums again: one AND for a multiplexer, none for an XOR.

mod body;
mod error;
mod header;
mod read;
mod source;
mod symbols;

pub use error::AigerError;
pub use read::{MAX_ANDS, read};
