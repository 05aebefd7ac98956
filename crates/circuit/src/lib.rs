#![doc = include_str!("../README.md")]
//!
//! # Contents
//!
//! XOR is addition, AND is multiplication.
//!
//! * [`Circuit`]: a validated list of [`Gate`]s in topological order with named input and output ports; each
//!   wire has a [`WireType`];
//! * [`field`], [`ByteMap`] and [`RowMap`]: bytes as elements of GF(2^8), and linear maps of bytes and of
//!   rows, which a [`Linear`] gate adds up without any product;
//! * [`nibble`]: four bits embedded in a byte, whose products read as ANDs;
//! * [`Builder`]: the usual way to make a circuit, with constant folding and sharing of equal gates;
//! * [`Analysis`]: depth, publicity, use counts and liveness per wire, with which an executor plans levels
//!   and frees values early;
//! * [`Circuit::evaluate`]: plain evaluation of many records at once, the reference for testing executors;
//! * arithmetic on words ([`Builder::add`], [`Builder::multiply`], [`Builder::less`], [`Builder::lookup`],
//!   [`Builder::sort`] and others), in forms of the least AND depth;
//! * [`Aggregate`] and [`Gathered`]: totals over the records of a batch, in the clear and as circuits that move values
//!   between records;
//! * [`mod@optimise`]: makes circuits shallower and smaller;
//! * [`bristol`]: circuits as text, in Bristol Fashion and Bristol Format;
//! * [`aiger`] and [`blif`]: circuits that tools of logic synthesis write, and so circuits from Verilog;
//! * [`simon`] and [`aes`]: block ciphers in software and as circuits;
//! * [`bundled`]: circuits by name, among them AES-128 on bits.
//!
//! # How to add a circuit
//!
//! 1. Make a module next to [`simon`] with a function that returns
//!    `Result<Circuit, CircuitError>`.
//! 2. Declare the inputs with [`Builder::input`]. [`Visibility::Public`] means
//!    that the evaluator sees the bits in the clear; an AND with such a bit is
//!    then far cheaper than an AND of two encrypted ones, and
//!    [`Analysis::private_and_depth`] shows what remains.
//! 3. Write the function on [`Word`]s (least significant bit first). Rotations
//!    are rewiring and cost nothing. Emit gates in the order in which they
//!    should be evaluated: the builder keeps that order, and an executor holds
//!    a value from its gate to its last use.
//! 4. Name the results with [`Builder::output`] and call [`Builder::finish`].
//!    Or let [`optimise::front`] look for shallower and smaller variants.
//! 5. Test the circuit with [`Circuit::evaluate`] against an independent
//!    software implementation and published vectors, and pin its AND depth and
//!    AND count: these two set the price of the encrypted evaluation.
//!
//! For functions of bytes use rows instead of words in step 3: [`Builder::input_rows`] and
//! [`Builder::output_rows`] for ports, and [`Builder::linear`], as rarely as possible, for everything that
//! is linear over GF(2). [`Builder::byte_to_bits`] and [`Builder::bits_to_byte`] convert between the two.
//!
//! A full adder for one bit:
//!
//! ```
//! use ringmill_circuit::{Builder, Visibility};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut builder = Builder::new();
//! let a = builder.input("a", Visibility::Private, 1);
//! let b = builder.input("b", Visibility::Private, 1);
//! let carry = builder.input("carry", Visibility::Public, 1);
//! let a_xor_b = builder.xor_words(&a, &b)?;
//! let sum = builder.xor_words(&a_xor_b, &carry)?;
//! // The majority with a single AND: b + (a + b)(b + carry) over GF(2).
//! let b_xor_carry = builder.xor_words(&b, &carry)?;
//! let differs = builder.and_words(&a_xor_b, &b_xor_carry)?;
//! let majority = builder.xor_words(&b, &differs)?;
//! builder.output("sum", &sum.concat(&majority));
//! let circuit = builder.finish()?;
//!
//! assert_eq!(circuit.and_count(), 1);
//! let output = circuit.evaluate_record(&[vec![true], vec![false], vec![true]])?;
//! assert_eq!(output, vec![vec![false, true]]); // 1 + 0 + 1 = 0b10
//! # Ok(())
//! # }
//! ```

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod aes;
mod aggregate;
pub mod aiger;
mod analysis;
mod anf;
mod bit_names;
pub mod blif;
pub mod bristol;
mod builder;
pub mod bundled;
mod byte_map;
mod circuit;
mod compose;
mod digest;
mod error;
mod evaluate;
pub mod field;
mod gate;
mod gather;
mod kinds;
mod linear;
pub mod nibble;
pub mod optimise;
mod order;
mod port;
mod port_values;
mod record_group;
mod row_map;
pub mod simon;
mod text;
mod wire;
mod wire_type;
mod word;
mod words;

pub use aggregate::{Aggregate, AggregateKind, MAX_TOTAL_RECORDS, UnknownAggregate};
pub use analysis::{Analysis, WireFacts};
pub use bit_names::BitNameError;
pub use builder::Builder;
pub use byte_map::ByteMap;
pub use circuit::Circuit;
pub use compose::{compose, compose_record, widen};
pub use error::{CircuitError, EvaluateError};
pub use gate::{Gate, Gates};
pub use gather::{Gathered, Move, PRESENT};
pub use linear::Linear;
pub use port::{InputPort, OutputPort, PortSize, Visibility};
pub use port_values::{PortLanes, PortValues};
pub use record_group::RecordGroup;
pub use row_map::{MapEntry, MapId, RowMap};
pub use wire::Wire;
pub use wire_type::{MAX_ROW_BYTES, WireType};
pub use word::Word;
pub use words::Signedness;
