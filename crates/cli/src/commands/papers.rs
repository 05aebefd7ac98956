//! Published figures for homomorphic block ciphers, to be shown beside ours.

use serde::Serialize;

/// A published evaluation of a block cipher.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Published {
    /// Scheme and machine.
    pub system: &'static str,
    /// Where the figure stands.
    pub source: &'static str,
    /// Seconds for the whole evaluation, where the source says.
    pub seconds: Option<f64>,
    /// Seconds for a block, where the source says how many there are.
    pub seconds_per_block: Option<f64>,
    /// The conditions under which the figure holds.
    pub note: &'static str,
}

/// All figures that the project's papers give for SIMON-64/128.
pub const SIMON: [Published; 6] = [
    Published {
        system: "FV on HEPCloud (Virtex 6, 100 MHz)",
        source: "Sinha Roy et al., HEPCloud, section 5.4",
        seconds: Some(37_551.0),
        seconds_per_block: Some(18.34),
        note: "2048 blocks; \"at least 85-bit\" security; computed from 26.67 s for FV.Mult",
    },
    Published {
        system: "YASHE in software, 4 cores of a Core i7-2600",
        source: "Lepoint and Naehrig, quoted in HEPCloud, section 5.5",
        seconds: Some(4193.0),
        seconds_per_block: None,
        note: "an NTRU scheme: later attacks weaken large moduli",
    },
    Published {
        system: "YASHE on HEPCloud",
        source: "Sinha Roy et al., HEPCloud, section 5.5",
        seconds: Some(12_000.0),
        seconds_per_block: None,
        note: "the authors' rough estimate",
    },
    Published {
        system: "YASHE, cached-NTT processor (Virtex 7)",
        source: "cached-NTT paper, table 4",
        seconds: Some(105.0),
        seconds_per_block: None,
        note: "estimate without the time for external memory",
    },
    Published {
        system: "YASHE, cached-NTT processor (Virtex 7)",
        source: "cached-NTT paper, table 6",
        seconds: Some(668.4),
        seconds_per_block: None,
        note: "11.14 minutes, estimate",
    },
    Published {
        system: "LTV, cached-NTT processor (Virtex 7)",
        source: "cached-NTT paper, table 6",
        seconds: Some(60.0),
        seconds_per_block: None,
        note: "1 minute, estimate; an NTRU scheme: later attacks weaken large moduli",
    },
];

/// Figures for AES-128, of the project's papers and of others.
pub const AES: [Published; 6] = [
    Published {
        system: "LTV, cached-NTT processor (Virtex 7)",
        source: "cached-NTT paper, table 6",
        seconds: Some(240.0),
        seconds_per_block: Some(0.117),
        note: "2048 blocks in 4 minutes, estimate; an NTRU scheme that later attacks broke at these sizes",
    },
    Published {
        system: "YASHE, cached-NTT processor (Virtex 7)",
        source: "cached-NTT paper, table 6",
        seconds: Some(2592.0),
        seconds_per_block: None,
        note: "43.2 minutes, estimate; an NTRU scheme: later attacks weaken large moduli",
    },
    Published {
        system: "HElib (BGV), two threads",
        source: "measured on a machine of this class",
        seconds: None,
        seconds_per_block: Some(0.64),
        note: "65-bit security",
    },
    Published {
        system: "HElib (BGV), one thread",
        source: "measured on a machine of this class",
        seconds: None,
        seconds_per_block: Some(1.8),
        note: "143-bit security",
    },
    Published {
        system: "TFHE-rs, 192 cores",
        source: "its authors' figure",
        seconds: None,
        seconds_per_block: Some(1.7),
        note: "latency of a block",
    },
    Published {
        system: "CKKS on a large machine",
        source: "its authors' claim, the best for a processor",
        seconds: None,
        seconds_per_block: Some(0.016),
        note: "amortised",
    },
];
