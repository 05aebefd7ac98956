//! The papers' schemes beside FV as [`ringmill_fv`] has it, for research and comparison.
//!
//! **None of them is secure at the sizes offered.** Their parameter sets are reached by name only, each says
//! in one line what is wrong with it, and no type of theirs can be taken for one of FV.
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
