#![doc = include_str!("../README.md")]
//!
//! # Contents
//!
//! * [`ntru`]: the schemes over NTRU rings, written once: parameters, keys, evaluation, files.
//! * [`yashe`]: what is its own in the scheme of Bos, Lauter, Loftus and Naehrig, broken at every useful size.
//! * [`ltv`]: what is its own in the scheme of Lopez-Alt, Tromer and Vaikuntanathan, broken at every useful size.
//! * [`karatsuba`]: encryption of FV over general cyclotomic rings, by Karatsuba's method and by transforms.
//! * [`integers`]: encryption of bits over the integers, by Coron, Naccache and Tibouchi.

pub mod integers;
pub mod karatsuba;
pub mod ltv;
pub mod ntru;
pub mod yashe;
