//! Execution of schedules over any scheme, in memory and with files.

pub(crate) mod available;
pub(crate) mod client;
pub(crate) mod codec;
pub(crate) mod executor;
pub(crate) mod inputs;
pub(crate) mod linear_maps;
pub(crate) mod observer;
pub(crate) mod peak;
pub(crate) mod scheme;
pub(crate) mod shelf;
pub(crate) mod statistics;
pub(crate) mod workers;
