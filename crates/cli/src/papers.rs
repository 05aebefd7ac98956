//! Published figures for homomorphic SIMON-64/128, to be shown beside ours.

use serde::Serialize;

/// A published evaluation of SIMON-64/128.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct PublishedSimon {
    /// Scheme and machine.
    pub system: &'static str,
    /// Where the figure stands.
    pub source: &'static str,
    /// Seconds for the whole evaluation.
    pub seconds: f64,
    /// Seconds for a block, where the source says how many there are.
    pub seconds_per_block: Option<f64>,
    /// What has to be known to read the figure.
    pub note: &'static str,
}

/// All figures that the project's papers give for this job.
pub const SIMON: [PublishedSimon; 6] = [
    PublishedSimon {
        system: "FV on HEPCloud (Virtex 6, 100 MHz)",
        source: "Sinha Roy et al., HEPCloud, section 5.4",
        seconds: 37_551.0,
        seconds_per_block: Some(18.34),
        note: "2048 blocks; \"at least 85-bit\" security; computed from 26.67 s for FV.Mult",
    },
    PublishedSimon {
        system: "YASHE in software, 4 cores of a Core i7-2600",
        source: "Lepoint and Naehrig, quoted in HEPCloud, section 5.5",
        seconds: 4193.0,
        seconds_per_block: None,
        note: "an NTRU scheme: later attacks weaken large moduli",
    },
    PublishedSimon {
        system: "YASHE on HEPCloud",
        source: "Sinha Roy et al., HEPCloud, section 5.5",
        seconds: 12_000.0,
        seconds_per_block: None,
        note: "the authors' rough estimate",
    },
    PublishedSimon {
        system: "YASHE, cached-NTT processor (Virtex 7)",
        source: "cached-NTT paper, table 4",
        seconds: 105.0,
        seconds_per_block: None,
        note: "estimate without the time for external memory",
    },
    PublishedSimon {
        system: "YASHE, cached-NTT processor (Virtex 7)",
        source: "cached-NTT paper, table 6",
        seconds: 668.4,
        seconds_per_block: None,
        note: "11.14 minutes, estimate",
    },
    PublishedSimon {
        system: "LTV, cached-NTT processor (Virtex 7)",
        source: "cached-NTT paper, table 6",
        seconds: 60.0,
        seconds_per_block: None,
        note: "1 minute, estimate; an NTRU scheme: later attacks weaken large moduli",
    },
];
