//! Circuits over encrypted bits: planned, then executed on a device.
//!
//! The way of a circuit, one module after the other:
//!
//! 1. [`lower()`] makes a [`Program`] of it: products, sums, and what is computed in the clear.
//! 2. `levels` chooses for every value the number of limbs that its noise can do without, by the rules
//!    of the noise model (`predict`); `steps` makes the switches between levels explicit.
//! 3. `order` sorts the steps into waves and notes when values can be freed; `memory` predicts what is
//!    alive at a time.
//! 4. [`Planner`] does all this for one parameter set after the other, until one fits: a [`Plan`].
//! 5. The client encrypts ([`encrypt_inputs`]), the server [`execute`]s, the client decrypts
//!    ([`decrypt_outputs`]).
//!
//! Records are processed in batches: bit i of every record of a batch is in slot r of ciphertext i,
//! r being the record's number in the batch. In the clear, a batch is bit-sliced as
//! [`PortLanes`](ringmill_circuit::PortLanes).

mod calibration;
mod candidates;
mod clear;
mod client;
mod cost;
mod encoding;
mod error;
mod executor;
mod explain;
mod form;
mod fuse;
mod inputs;
mod keys;
mod levels;
mod lower;
mod maps;
mod memory;
mod observer;
mod order;
mod peak;
mod plan;
mod planner;
mod predict;
mod program;
mod recipe;
mod scheme;
mod select;
mod statistics;
mod steps;
mod workers;

pub use calibration::{Calibration, Work};
pub use clear::{ClearId, ClearProgram, ClearValue};
pub use client::{decrypt_outputs, encrypt_inputs};
pub use error::{EngineError, PlanError, Rejection, Shortfall};
pub use executor::{Execution, OutputValue, execute};
pub use form::Form;
pub use inputs::{EncryptedInputs, PublicInputs};
pub use keys::EvaluationKeys;
pub use lower::lower;
pub use maps::{MapTerm, SlotMaps};
pub use memory::MemoryUse;
pub use observer::{Observer, Progress};
pub use order::Wave;
pub use peak::{peak_memory, reset_peak_memory};
pub use plan::{InputPlan, OutputPlan, Plan, Prediction};
pub use planner::Planner;
pub use predict::InputKey;
pub use program::{Operation, OutputSource, Program, ValueId};
pub use recipe::Recipe;
pub use scheme::{Encoding, Ladder, PlaintextOf, ProductSum, Scheme};
pub use statistics::{Kind, Statistics, Tally};
pub use steps::Step;
