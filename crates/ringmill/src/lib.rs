#![doc = include_str!("../README.md")]
//!
//! # Parties
//!
//! * A [`Job`] is a circuit and its plan, which all parties agree on; [`Planning`] has the options.
//! * A [`Client`] owns the secret key. It makes keys for others, encrypts and decrypts.
//! * An [`Encryptor`] has a public key and can only encrypt. Several owners of inputs may each encrypt some of the ports
//!   ([`Encryptor::of_ports`], [`Server::evaluate_joint`]).
//! * A [`Server`] has evaluation keys and evaluates.
//!
//! # Through files
//!
//! Parties on different machines exchange files, batch by batch, in the format of `docs/formats.md`; the command line
//! `ringmill` does the same.
//!
//! ```
//! use ringmill::{Job, Output, PublicInputs, Seed, circuits};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = tempfile::tempdir()?;
//! # let path = |name: &str| directory.path().join(name);
//! let circuit = circuits::by_name("and8")?;
//! Job::plan(&circuit)?.save(path("and.job"))?;
//!
//! // The client.
//! let job = Job::open(path("and.job"))?;
//! job.client(&Seed::random()?)?.save_keys(path("keys"), false)?;
//!
//! // Whoever has records.
//! std::fs::write(path("in.csv"), "a,b\n12,10\n255,7\n")?;
//! let encryptor = job.open_encryptor(path("keys/public.key"))?;
//! encryptor.encrypt_to(&ringmill::Table::open(path("in.csv")), &Output::new(path("in.ct")))?;
//!
//! // The server.
//! let server = job.open_server(path("keys/evaluation.key"))?;
//! server.evaluate_to(path("in.ct"), &PublicInputs::none(), &Output::new(path("out.ct")).into())?;
//!
//! // The client again.
//! let client = job.open_client(path("keys/secret.key"))?;
//! client.decrypt_to(path("out.ct"), &Output::new(path("out.csv")), None, &[] as &[&str])?;
//! assert_eq!(std::fs::read_to_string(path("out.csv"))?, "and\n8\n7\n");
//! # Ok(())
//! # }
//! ```
//!
//! # Circuits
//!
//! Bundled ones have names ([`circuits::names`]); others come from files ([`circuits::open`]: Bristol Fashion, AIGER,
//! BLIF), or from the builder:
//!
//! ```
//! use ringmill::circuit::{Builder, Visibility};
//! use ringmill::{Job, NamedCircuit, PublicInputs, Seed, Table};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // Whether a hidden byte has all the bits of a mask that the server knows.
//! let mut builder = Builder::new();
//! let hidden = builder.input("hidden", Visibility::Private, 8);
//! let mask = builder.input("mask", Visibility::Public, 8);
//! let both = builder.and_words(&hidden, &mask)?;
//! let missing = builder.xor_words(&both, &mask)?;
//! builder.output("missing", &missing);
//! let circuit = NamedCircuit::new("mask", builder.finish()?);
//!
//! let job = Job::plan(&circuit)?;
//! let client = job.client(&Seed::random()?)?;
//! let server = job.server(client.evaluation_keys()?)?;
//! let masks = PublicInputs::table(Table::csv("mask\n6\n3\n"));
//! let results = server.evaluate_with(client.encrypt(&Table::csv("hidden\n7\n1\n"))?, &masks)?;
//! assert_eq!(client.decrypt(&results)?.to_csv()?, "missing\n0\n2\n");
//! # Ok(())
//! # }
//! ```
//!
//! # Transciphering
//!
//! A client that sends AES data instead of ciphertexts saves bandwidth: it encrypts its AES key once, and the server
//! decrypts AES under encryption, for whatever circuit follows. (Not run here: it takes a minute and 2 GiB.)
//!
//! ```no_run
//! use ringmill::{Job, PublicInputs, Seed, Table, circuits};
//!
//! # fn main() -> Result<(), ringmill::Error> {
//! # let (key, counter, encrypted_with_aes) = ([7; 16], [0; 16], vec![0; 1600]);
//! let numbers = circuits::by_name("less32")?.with_public("a")?;
//! let circuit = circuits::by_name("aes-128-ctr")?.then(&numbers)?;
//! let job = Job::plan(&circuit)?;
//! let client = job.client(&Seed::random()?)?;
//! let server = job.server(client.evaluation_keys()?)?;
//!
//! let key = client.encrypt(&job.cipher_key(&key)?)?;
//! let limits = Table::open("limits.csv");
//! let data = PublicInputs::cipher_data(Table::binary(encrypted_with_aes), Some(counter), Some(limits));
//! let results = server.evaluate_with(key, &data)?;
//! println!("{}", client.decrypt(&results)?.to_csv()?);
//! # Ok(())
//! # }
//! ```
//!
//! # Devices
//!
//! A job runs on the processor unless it is planned on another [`platform::Platform`]; [`open_device`] finds one by
//! name. Your own device needs an implementation of [`device::Device`] and something that opens it:
//!
//! ```
//! use std::sync::Arc;
//!
//! use ringmill::platform::{Cpu, Platform};
//! use ringmill::{Error, Planning, Seed, Table, circuits};
//!
//! /// The processor under another name: in its place stands your accelerator.
//! struct Mine;
//!
//! impl Platform for Mine {
//!     type Device = <Cpu as Platform>::Device;
//!
//!     fn name(&self) -> String {
//!         "mine".to_owned()
//!     }
//!
//!     fn hardware(&self) -> String {
//!         "an accelerator of mine".to_owned()
//!     }
//!
//!     fn open(&self, ring: &ringmill::device::Ring) -> Result<Arc<Self::Device>, Error> {
//!         Cpu.open(ring)
//!     }
//! }
//!
//! # fn main() -> Result<(), Error> {
//! let circuit = circuits::by_name("and8")?;
//! let job = Planning::new().plan_on(&Arc::new(Mine), &circuit)?;
//! let client = job.client(&Seed::random()?)?;
//! let server = job.server(client.evaluation_keys()?)?;
//! assert_eq!(server.device(), "mine");
//! let results = server.evaluate(client.encrypt(&Table::csv("a,b\n6,3\n"))?)?;
//! assert_eq!(client.decrypt(&results)?.to_csv()?, "and\n2\n");
//! # Ok(())
//! # }
//! ```
//!
//! # Threads, progress, cancellation
//!
//! Everything runs on the current rayon pool: all cores, unless you call it in a pool of your own
//! (`rayon::ThreadPool::install`). An [`Observer`] sees stages and batches, gets notes, and may stop a job; finished
//! batches of a file are kept then, and [`ResumableOutput::resuming`] goes on from there.
//!
//! # Safety
//!
//! Parameters have 128 bits of security, and decryption fails with a probability below 2^-64, unless others are asked
//! for by name; a note then says what is wrong, every time. A file of weaker ones is refused unless a [`Policy`]
//! accepts it. `SECURITY.md` says what is not promised: results are
//! neither authenticated nor is the circuit hidden from the client.

pub mod batches;
mod calibration;
mod cipher;
pub mod circuits;
mod client;
mod columns;
mod decryption;
mod encryptor;
mod error;
mod evaluation;
pub mod files;
mod former;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
pub mod hex;
pub mod inspect;
mod job;
mod job_file;
mod keys;
pub mod messages;
mod observer;
mod planning;
pub mod platform;
mod policy;
mod records;
mod server;
mod session;
mod side_by_side;
mod signing;
mod table;
mod totals;
mod trial;
pub mod units;
mod values;

/// Circuits: builder, optimiser, plain evaluation, ciphers.
pub use ringmill_circuit as circuit;
/// The contract that a device fulfils.
pub use ringmill_device as device;

pub use calibration::calibration;
pub use cipher::Cipher;
pub use circuits::NamedCircuit;
pub use client::{Client, Decrypted};
pub use decryption::{DecryptedFile, Decryption};
pub use encryptor::{Encrypted, EncryptedBatch, EncryptedFile, Encryptor};
pub use error::{Error, ErrorKind, is_failure};
pub use evaluation::{Account, EvaluatedFile, Evaluation, PublicInputs, Work};
pub use files::{Output, ResumableOutput};
pub use inspect::Inspection;
pub use job::Job;
pub use job_file::JobFile;
pub use keys::{EvaluationKeys, KeyFile, KeySet, Passphrase, PublicKey, SecretKey, is_sealed};
pub use observer::{Observer, Progress, Stage};
pub use planning::{Optimise, Planning, warn_if_insecure};
pub use platform::open_device;
pub use policy::Policy;
pub use records::Records;
pub use ringmill_arith::sampling::Seed;
pub use ringmill_engine::{
    InputKey, InputPacking, InputValues, Loading, Plan, Point, ProductForm, Recipe, SlotSharing,
};
pub use ringmill_format::{Access, FrameKind};
pub use ringmill_fv::{Parameters, PrimeRule, SecurityLevel};
pub use ringmill_records::TableFormat;
pub use server::{ResultBatch, Results, Server};
pub use signing::{Signature, SigningKey, VerifyingKey};
pub use table::{Table, TableReader, content, format_of};
pub use trial::Trial;
