//! Figures of others, to be shown beside ours.

/// The note on the figures of other libraries.
pub const NOTE: &str = "\
Peers were measured on another machine, of a class with AVX-512 IFMA, on one thread: HElib 2.3 in the same ring at \
log2 q = 700; SEAL 4.4 with HEXL in x^32768 + 1 at 881 bits; tfhe-ntt in x^32768 + 1 with a prime of 50 bits. \
Papers: HEPCloud (Sinha Roy et al., table 3) on a Virtex 6 at log2 q = 1228; the cached-NTT processor on a Virtex 7 \
(tables 3 and 4: a 65536-point transform modulo a prime of 32 bits; YASHE without the time for external memory). \
Paper 2, for n = 1024: the NTT multiplier of Mert, Ozturk and Savas on a Virtex 7 at 200 MHz, and SEAL on one core of a \
Core i9-7900X (table I); our products are modulo a prime of 31 bits, our encryptions have its q of 27 bits and t = 256.";

/// Peers of a transform.
pub const TRANSFORM: &str = "HElib 2.3-3.8 ms; tfhe-ntt 86 us (half the butterflies)";
/// Papers on a transform.
pub const TRANSFORM_PAPER: &str = "cached-NTT 23.8 us";
/// Peers of a multiplication with relinearization.
pub const MULTIPLY: &str = "HElib 649 ms; SEAL BFV 307 ms, BGV 94 ms";
/// Papers on it.
pub const MULTIPLY_PAPER: &str = "HEPCloud 26.67 s; cached-NTT YASHE 74.5 ms";
/// Peers of an encryption.
pub const ENCRYPT: &str = "HElib 94 ms";
/// Peers of a decryption.
pub const DECRYPT: &str = "HElib 96 ms";
/// Peers of decoding.
pub const DECODE: &str = "HElib 465 ms";
/// Peers of a rotation.
pub const ROTATION: &str = "HElib 265-800 ms";
/// HEPCloud's FV.Add.
pub const HEPCLOUD_ADD: &str = "HEPCloud 0.050 s";
/// HEPCloud's FV.Mult.
pub const HEPCLOUD_MULT: &str = "HEPCloud 26.67 s";
/// Products of polynomials of degree 1024, one operand known.
pub const PRODUCTS_1024: &str = "machine almost 800 K a second; SEAL 34 K; tfhe-ntt 330 K a core";
/// One encryption at n = 1024.
pub const ENCRYPT_1024: &str = "SEAL 151 us; SEAL 4.4 with HEXL 136 us";
/// Its mask, in table I.
pub const ENCRYPT_1024_MASK: &str = "SEAL 11.2 us";
/// Its products, in table I.
pub const ENCRYPT_1024_PRODUCT: &str = "SEAL 46.4 us; machine 1.3 us, 4.3 us with its link";
/// Its errors, in table I.
pub const ENCRYPT_1024_ERRORS: &str = "SEAL 91.1 us";
/// The other parts, in table I.
pub const ENCRYPT_1024_OTHERS: &str = "SEAL 3.1 us";
/// One decryption at n = 1024.
pub const DECRYPT_1024: &str = "SEAL 29.3 us for its product; SEAL 4.4 with HEXL 23 us";
/// Papers on SIMON.
pub const SIMON: &str = "HEPCloud 37551 s; YASHE, 4 cores 4193 s";
/// Papers and peers on AES-128.
pub const AES: &str =
    "a block: LTV 117 ms; HElib 0.64 s (65 bits), 1.8 s (143 bits); TFHE-rs 1.7 s; CKKS 16 ms";
