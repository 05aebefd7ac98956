//! Other schemes than FV, over the same rings and the same device contract, for research and comparison.
//!
//! **None of them is secure at the sizes offered.** Their parameter sets are reached by name only, each says
//! in one line what is wrong with it, and no type of theirs can be taken for one of FV.
//!
//! * [`ltv`]: the scheme of Lopez-Alt, Tromer and Vaikuntanathan.
//! * [`ntru`]: what the schemes over NTRU rings share: parameters, keys by inversion, files.
//! * [`yashe`]: the scheme of Bos, Lauter, Loftus and Naehrig, broken at every useful size.

pub mod ltv;
pub mod ntru;
pub mod yashe;
