//! Programs: what a circuit asks of a scheme, without levels and order.

pub(crate) mod clear;
pub(crate) mod cut;
pub(crate) mod fuse;
pub(crate) mod id_hasher;
pub(crate) mod lower;
pub(crate) mod origins;
pub(crate) mod program;
pub(crate) mod tidying;
