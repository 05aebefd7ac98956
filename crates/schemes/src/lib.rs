//! Other schemes than FV, over the same rings and the same device contract, for research and comparison.
//!
//! **None of them is secure at the sizes offered.** Their parameter sets are reached by name only, each says
//! in one line what is wrong with it, and no type of theirs can be taken for one of FV.
//!
//! * [`karatsuba`]: encryption of FV over general cyclotomic rings, by Karatsuba's method and by transforms.

pub mod karatsuba;
