use std::fmt;

use crate::FormatError;

/// A number that says what a frame contains.
///
/// Numbers below [`FrameKind::FIRST_PRIVATE`] are registered here, so that no two contents share one and whoever finds
/// the wrong file can say what it is. A scheme that is not part of ringmill takes a number from there on
/// ([`FrameKind::private`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FrameKind(u8);

impl FrameKind {
    /// Parameters.
    pub const PARAMETERS: Self = Self(1);
    /// A secret key.
    pub const SECRET_KEY: Self = Self(2);
    /// A public key.
    pub const PUBLIC_KEY: Self = Self(3);
    /// A relinearization key.
    pub const RELINEARIZATION_KEY: Self = Self(4);
    /// Keys of one or more automorphisms.
    pub const GALOIS_KEYS: Self = Self(5);
    /// One or more ciphertexts.
    pub const CIPHERTEXTS: Self = Self(6);
    /// Relinearization and Galois keys together: all that an evaluator needs.
    pub const EVALUATION_KEYS: Self = Self(7);
    /// One or more plaintexts.
    pub const PLAINTEXTS: Self = Self(8);
    /// What, beside the parameters, determines how a circuit is evaluated.
    pub const PLAN: Self = Self(9);
    /// What the ciphertexts after it are.
    pub const BATCH: Self = Self(10);
    /// What the ciphertexts of messages after it are.
    pub const MESSAGES: Self = Self(11);
    /// Which keys were made together.
    pub const KEY_SET: Self = Self(12);
    /// A signature of the results before it.
    pub const SIGNATURE: Self = Self(13);
    /// A key that signs results.
    pub const SIGNING_KEY: Self = Self(14);
    /// A key that signatures are checked with.
    pub const VERIFYING_KEY: Self = Self(15);
    /// A secret key of YASHE or LTV.
    pub const NTRU_SECRET_KEY: Self = Self(16);
    /// A public key of YASHE or LTV.
    pub const NTRU_PUBLIC_KEY: Self = Self(17);
    /// An evaluation key of YASHE or LTV.
    pub const NTRU_EVALUATION_KEY: Self = Self(18);
    /// One or more ciphertexts of YASHE or LTV.
    pub const NTRU_CIPHERTEXTS: Self = Self(19);
    /// A secret key under a passphrase.
    pub const SEALED_KEY: Self = Self(20);
    /// How a circuit is made.
    pub const CIRCUIT: Self = Self(21);
    /// A program over messages.
    pub const MESSAGE_PROGRAM: Self = Self(22);
    /// What the ciphertexts of a program over messages after it are.
    pub const MESSAGE_ROWS: Self = Self(23);
    /// A secret key over a general cyclotomic ring.
    pub const CYCLOTOMIC_SECRET_KEY: Self = Self(24);
    /// A public key over a general cyclotomic ring.
    pub const CYCLOTOMIC_PUBLIC_KEY: Self = Self(25);
    /// One or more ciphertexts over a general cyclotomic ring.
    pub const CYCLOTOMIC_CIPHERTEXTS: Self = Self(26);

    /// The first of the numbers that are nobody's.
    pub const FIRST_PRIVATE: u8 = 128;

    /// A kind that is not registered; none below [`FrameKind::FIRST_PRIVATE`].
    #[must_use]
    pub const fn private(number: u8) -> Option<Self> {
        if number >= Self::FIRST_PRIVATE {
            Some(Self(number))
        } else {
            None
        }
    }

    /// All registered kinds.
    pub fn registered() -> impl Iterator<Item = Self> {
        REGISTRY.iter().map(|(kind, _)| *kind)
    }

    /// The version that it is written in; it is read in all from [`crate::OLDEST`] on.
    #[must_use]
    pub const fn version(self) -> u16 {
        match self {
            Self::BATCH | Self::MESSAGES => 4,
            _ => 3,
        }
    }

    /// The byte that stands for it.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self.0
    }
}

/// The registered kinds and what people call them.
const REGISTRY: [(FrameKind, &str); 26] = [
    (FrameKind::PARAMETERS, "parameters"),
    (FrameKind::SECRET_KEY, "a secret key"),
    (FrameKind::PUBLIC_KEY, "a public key"),
    (FrameKind::RELINEARIZATION_KEY, "a relinearization key"),
    (FrameKind::GALOIS_KEYS, "Galois keys"),
    (FrameKind::CIPHERTEXTS, "ciphertexts"),
    (FrameKind::EVALUATION_KEYS, "evaluation keys"),
    (FrameKind::PLAINTEXTS, "plaintexts"),
    (FrameKind::PLAN, "a plan"),
    (FrameKind::BATCH, "a batch of records"),
    (FrameKind::MESSAGES, "a batch of messages"),
    (FrameKind::KEY_SET, "the name of a key set"),
    (FrameKind::SIGNATURE, "a signature"),
    (FrameKind::SIGNING_KEY, "a signing key"),
    (FrameKind::VERIFYING_KEY, "a verifying key"),
    (FrameKind::NTRU_SECRET_KEY, "a secret key of an NTRU scheme"),
    (FrameKind::NTRU_PUBLIC_KEY, "a public key of an NTRU scheme"),
    (
        FrameKind::NTRU_EVALUATION_KEY,
        "an evaluation key of an NTRU scheme",
    ),
    (FrameKind::NTRU_CIPHERTEXTS, "ciphertexts of an NTRU scheme"),
    (FrameKind::SEALED_KEY, "a secret key under a passphrase"),
    (FrameKind::CIRCUIT, "a circuit"),
    (FrameKind::MESSAGE_PROGRAM, "a program over messages"),
    (FrameKind::MESSAGE_ROWS, "a batch of rows of messages"),
    (
        FrameKind::CYCLOTOMIC_SECRET_KEY,
        "a secret key over a general cyclotomic ring",
    ),
    (
        FrameKind::CYCLOTOMIC_PUBLIC_KEY,
        "a public key over a general cyclotomic ring",
    ),
    (
        FrameKind::CYCLOTOMIC_CIPHERTEXTS,
        "ciphertexts over a general cyclotomic ring",
    ),
];

impl TryFrom<u8> for FrameKind {
    type Error = FormatError;

    fn try_from(byte: u8) -> Result<Self, FormatError> {
        let known = Self::registered().find(|kind| kind.byte() == byte);
        known
            .or_else(|| Self::private(byte))
            .ok_or(FormatError::UnknownKind(byte))
    }
}

impl fmt::Display for FrameKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match REGISTRY.iter().find(|(kind, _)| kind == self) {
            Some((_, name)) => f.write_str(name),
            None => write!(f, "private content {}", self.0),
        }
    }
}
