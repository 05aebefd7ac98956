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
//!
//! Where four records share each slot ([`SlotSharing`]), record r is bit r % 4 of slot r / 4.
//!
//! With [`Planner::with_aggregates`] the results of a batch are totals of its records, the same in every slot. The
//! planner adds them to the circuit for each ring ([`Gathered`](ringmill_circuit::Gathered)), and
//! [`Plan::present`] is the public input that says which records there are.

mod error;
mod execute;
mod fv;
mod ir;
mod schedule;

pub use error::{EngineError, PlanError, Rejection};
pub use execute::available::available_memory;
pub use execute::client::{decrypt_outputs, encrypt_inputs, encrypt_ports};
pub use execute::executor::{Execution, OutputValue, execute};
pub use execute::inputs::{EncryptedInputs, EncryptedWire, InputValues, StoredWire};
pub use execute::observer::{Observer, Progress};
pub use execute::peak::{peak_memory, reset_peak_memory, whole_peak_memory};
pub use execute::scheme::{Encoding, LevelChain, PlaintextOf, ProductSum, Scheme};
pub use execute::statistics::{OperationKind, Statistics, Tally};
pub use fv::calibration::{Calibration, Rates, Work};
pub use fv::former::FormerResults;
pub use fv::layout::Layout;
pub use fv::misfit::{Misfit, Obstacle, RingMisfit, Shortfall};
pub use fv::operation_costs::OperationCosts;
pub use fv::packed::{InputPacking, PackedInputs};
pub use fv::plan::{Plan, Prediction};
pub use fv::planner::Planner;
pub use fv::product_form::ProductForm;
pub use fv::recipe::Recipe;
pub use fv::rules::InputKey;
pub use fv::sharing::SlotSharing;
pub use fv::slot_maps::{MapTerm, SlotMaps};
pub use fv::traffic::Traffic;
pub use fv::variants::{Choice, Outcome, Point, VariantChoice, choose};
pub use fv::{Admission, EvaluationKeys, FvEncoding, FvPreparedOperand, FvScheme, encrypt_packed};
pub use ir::clear::{ClearId, ClearProgram, ClearValue};
pub use ir::lower::lower;
pub use ir::program::{Operation, OutputSource, Program, ValueId};
pub use schedule::by_depth::DepthPlanner;
pub use schedule::memory::{Loading, MemoryUse};
pub use schedule::order::Wave;
pub use schedule::sides::Side;
pub use schedule::steps::Step;
pub use schedule::{InputPlan, OutputPlan, Schedule};
