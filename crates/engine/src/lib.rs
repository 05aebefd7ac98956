#![doc = include_str!("../README.md")]
//!
//! # Data flow
//!
//! A circuit goes through one module after the other:
//!
//! 1. [`lower()`] makes a [`Program`] of it: products, sums, and what is computed in the clear.
//! 2. `levels` chooses for every value the number of limbs that its noise can do without, by the rules
//!    of the noise model (`predict`); `steps` makes the switches between levels explicit.
//! 3. `order` sorts the steps into waves, for speed or so that few values are alive, and notes when they can be
//!    freed; `memory` predicts what is alive at a time.
//! 4. [`Planner`] does all this for one FV parameter set after the other, until one fits: a [`Plan`], with a
//!    [`Schedule`] in it. [`choose()`] does so for several variants of a circuit, made by the optimiser, and takes
//!    the fastest.
//! 5. The client encrypts ([`encrypt_inputs`]), the server executes ([`Plan::execute`]), the client decrypts
//!    ([`decrypt_outputs`]).
//!
//! # Other schemes
//!
//! The executor knows a scheme by the trait [`Scheme`] only: factors, products, relinearization, sums, switches
//! between levels; and its plaintexts by [`Encoding`]. FV is one of them ([`FvScheme`]), and the only one with
//! linear maps of rows and a planner that knows its noise. For a scheme in which each product leads one step
//! down a fixed [`LevelChain`] of levels, [`DepthPlanner`] takes the place of 2. and 4.: its [`Schedule`] is
//! carried out by [`execute()`].
//!
//! # Records
//!
//! Records are processed in batches: bit i of every record of a batch is in slot r of ciphertext i,
//! r being the record's number in the batch. In the clear, a batch is bit-sliced as
//! [`PortLanes`](ringmill_circuit::PortLanes).

mod available;
mod by_depth;
mod calibration;
mod candidates;
mod clear;
mod client;
mod codec;
mod cost;
mod error;
mod executor;
mod explain;
mod fuse;
mod fv;
mod id_hasher;
mod inputs;
mod levels;
mod linear_maps;
mod lower;
mod maps;
mod memory;
mod misfit;
mod noises;
mod observer;
mod order;
mod peak;
mod plan;
mod planner;
mod predict;
mod product_form;
mod program;
mod reach;
mod recipe;
mod schedule;
mod scheme;
mod search;
mod select;
mod shelf;
mod spill;
mod statistics;
mod steps;
mod variants;
mod workers;

pub use available::available_memory;
pub use by_depth::DepthPlanner;
pub use calibration::{Calibration, Rates, Work};
pub use clear::{ClearId, ClearProgram, ClearValue};
pub use client::{decrypt_outputs, encrypt_inputs};
pub use error::{EngineError, PlanError, Rejection};
pub use executor::{Execution, OutputValue, execute};
pub use fv::{EvaluationKeys, FvEncoding, FvPreparedOperand, FvScheme};
pub use inputs::{EncryptedInputs, EncryptedWire, InputValues, StoredWire};
pub use lower::lower;
pub use maps::{MapTerm, SlotMaps};
pub use memory::{Loading, MemoryUse};
pub use misfit::{Misfit, Obstacle, RingMisfit, Shortfall};
pub use observer::{Observer, Progress};
pub use order::Wave;
pub use peak::{peak_memory, reset_peak_memory};
pub use plan::{Plan, Prediction};
pub use planner::Planner;
pub use predict::InputKey;
pub use product_form::ProductForm;
pub use program::{Operation, OutputSource, Program, ValueId};
pub use recipe::Recipe;
pub use schedule::{InputPlan, OutputPlan, Schedule};
pub use scheme::{Encoding, LevelChain, PlaintextOf, ProductSum, Scheme};
pub use statistics::{OperationKind, Statistics, Tally};
pub use steps::Step;
pub use variants::{Choice, Outcome, Point, VariantChoice, choose};
