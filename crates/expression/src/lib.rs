#![doc = include_str!("../README.md")]
//!
//! # Contents
//!
//! * [`compile`] makes a [`Compiled`] program of a text: a circuit, and the [`Type`]s of its ports.
//! * [`free_names`] has the names whose types the program leaves to [`KnownTypes`].
//! * [`Trace`] makes such a program value by value, for operators of another language.
//! * [`MessageProgram`] is a program over messages, rows of integers modulo t, instead of over bits.
//! * [`ExpressionError`] says what is wrong, where, and how to mend it.
//!
//! A text is not trusted: its length, its nesting, the gates and the time that it takes are bounded.

// The generated parser names it.
extern crate alloc;

mod compile;
mod error;
mod lower;
mod messages;
mod names;
mod parse;
mod scan;
mod syntax;
mod trace;
mod value_type;

pub use compile::{Compiled, KnownTypes, PortType, compile, free_names};
pub use error::ExpressionError;
pub use messages::{
    ClearValue, MAX_OPERATIONS, MAX_ROTATION, MessageInput, MessageOperation, MessageOutput, MessageProgram,
    Slots,
};
pub use scan::MAX_TEXT_BYTES;
pub use trace::{Trace, TracedValue};
pub use value_type::{MAX_BITS, MAX_NUMBER_BITS, Type, UnknownType};
