//! The machines that are built.

/// A top module with parameters.
pub struct Design {
    pub top: &'static str,
    /// The folders of `hdl/` with its sources, the lowest part first.
    pub parts: &'static [&'static str],
    pub parameters: Vec<(&'static str, u32)>,
}

/// The depths of pipelines, as `ringmill_pkg` numbers them and `ringmill_rtl::Pipeline` names them.
#[derive(Debug, Clone, Copy)]
pub enum Pipeline {
    Shallow,
    Deep,
}

/// An NTT multiplier: n, butterfly units, words a beat, result buffers, pipeline.
pub type NttMultiplier = (u32, u32, u32, u32, Pipeline);

/// The paper's and the one of its table II with either pipeline, and small ones for quick tests.
pub const NTT_MULTIPLIERS: [NttMultiplier; 6] = [
    (1024, 64, 4, 4, Pipeline::Shallow),
    (1024, 64, 4, 4, Pipeline::Deep),
    (1024, 2, 1, 2, Pipeline::Shallow),
    (1024, 2, 1, 2, Pipeline::Deep),
    (128, 8, 4, 4, Pipeline::Deep),
    (64, 4, 1, 4, Pipeline::Shallow),
];

pub fn ntt_multiplier((n, units, link, buffers, pipeline): NttMultiplier) -> Design {
    Design {
        top: "ntt_multiplier",
        parts: &["common", "ntt_multiplier"],
        parameters: vec![
            ("N", n),
            ("Units", units),
            ("LinkWords", link),
            ("ResultBuffers", buffers),
            ("Pipeline", pipeline as u32),
        ],
    }
}

/// The machines around transform engines: small ones, and with the feature `rtl-full` those of the papers' sizes, which
/// take minutes to compile.
pub fn engines() -> Vec<Design> {
    let mut designs = vec![
        dedicated_read(1024, 4),
        two_epoch(256, 16, Network::Ring, 8),
        two_epoch(256, 16, Network::Transposer, 8),
        xor_banks(256, 4, Ring::Power),
        xor_banks(2048, 4, Ring::Fermat),
    ];
    if cfg!(feature = "rtl-full") {
        designs.extend([
            dedicated_read(65536, 16),
            two_epoch(65536, 256, Network::Ring, 16),
            two_epoch(65536, 256, Network::Transposer, 16),
            xor_banks(32768, 16, Ring::Fermat),
            xor_banks(32768, 64, Ring::Fermat),
        ]);
    }
    designs
}

/// The engines of a core, as `core_pkg` numbers them and `ringmill_rtl::core::EngineKind` names them.
#[derive(Debug, Clone, Copy)]
pub enum Engine {
    XorBanks,
    DedicatedRead,
}

/// A core: engine, n, butterfly units.
pub type Core = (Engine, u32, u32);

/// The cores: small ones with either engine, the second of the least ring with secure parameters, and with the feature
/// `rtl-full` those of full size.
pub const CORES: &[Core] = if cfg!(feature = "rtl-full") {
    &[
        (Engine::XorBanks, 2048, 16),
        (Engine::XorBanks, 4096, 4),
        (Engine::DedicatedRead, 1024, 4),
        (Engine::XorBanks, 32768, 16),
        (Engine::XorBanks, 32768, 64),
        (Engine::DedicatedRead, 65536, 16),
    ]
} else {
    &[
        (Engine::XorBanks, 2048, 16),
        (Engine::XorBanks, 4096, 4),
        (Engine::DedicatedRead, 1024, 4),
    ]
};

/// The bytes of a beat of a core's memory bus.
pub const CORE_BEAT_BYTES: u32 = 32;

/// A core with the parameters that its data sheet has for its engine: for primes of 50 bits, or of 30.
pub fn core(&(engine, n, units): &Core) -> Design {
    let (slots, width, word) = match engine {
        Engine::XorBanks => (2, 50, 17),
        Engine::DedicatedRead => (1, 30, 16),
    };
    Design {
        top: "core",
        parts: &[
            "common",
            "ntt_engine/xor_banks",
            "ntt_engine/dedicated_read",
            "core",
        ],
        parameters: vec![
            ("Engine", engine as u32),
            ("N", n),
            ("Units", units),
            ("Limbs", 8),
            ("Slots", slots),
            ("Width", width),
            ("Word", word),
            ("Tables", 2),
            ("Doubts", 16),
            ("DataWidth", 8 * CORE_BEAT_BYTES),
            ("Pipeline", Pipeline::Deep as u32),
        ],
    }
}

/// The multi-precision conversion pipelines: a small one and paper 1's.
pub fn conversions() -> Vec<Design> {
    let shapes = [(5, 11, 4), (41, 84, 8)];
    let design = |(base, total, cores)| Design {
        top: "multiprecision",
        parts: &["common", "multiprecision"],
        parameters: vec![("Base", base), ("Total", total), ("Cores", cores)],
    };
    shapes.map(design).into()
}

/// Paper 3's tiles that convert.
pub fn tiles() -> Vec<Design> {
    vec![Design {
        top: "tile_conversion",
        parts: &["common", "tile_conversion"],
        parameters: vec![("Tiles", 4)],
    }]
}

/// The machines for encryption over the integers: small ones, and those of the paper's toy and small sizes (its medium size
/// has the units of small).
pub fn combas() -> Vec<Design> {
    let design = |top, parameters| Design {
        top,
        parts: &["common", "comba"],
        parameters,
    };
    // Digits of a block, and units.
    let blocks = [(8, 1), (8, 3), (64, 1), (64, 20), (128, 1), (128, 10)];
    let blocks =
        blocks.map(|(digits, units)| design("comba_machine", vec![("Digits", digits), ("Units", units)]));
    // Rows, digits of a factor, of a correction and of the modulus.
    let mut systolic = vec![(3, 19, 28, 384), (24, 59, 67, 9376), (15, 93, 101, 51904)];
    if cfg!(feature = "rtl-full") {
        // Medium size: 51 million cycles.
        systolic.push((11, 126, 137, 262_496));
    }
    let systolic = systolic.into_iter().map(|(rows, taps, corrections, digits)| {
        let parameters = vec![
            ("Rows", rows),
            ("Taps", taps),
            ("CorrectionDigits", corrections),
            ("Depth", digits + taps + 3),
        ];
        design("comba_systolic", parameters)
    });
    blocks.into_iter().chain(systolic).collect()
}

/// Paper 4's machine, for its moduli of 125 and 135 bits.
pub fn karatsubas() -> Vec<Design> {
    let design = |width| Design {
        top: "karatsuba_machine",
        parts: &["common", "karatsuba"],
        parameters: vec![("KeyWidth", width), ("Results", 4)],
    };
    [27, 29].map(design).into()
}

/// Paper 4's machine with all recursions on chip, for the same moduli.
pub fn residents() -> Vec<Design> {
    let design = |modulus| Design {
        top: "karatsuba_resident",
        parts: &["common", "karatsuba", "karatsuba_resident"],
        parameters: vec![("Levels", 9), ("Long", 641), ("ModulusWidth", modulus)],
    };
    [125, 135].map(design).into()
}

/// The engine of paper 1, for primes of 30 bits.
fn dedicated_read(n: u32, units: u32) -> Design {
    Design {
        top: "dedicated_read_machine",
        parts: &["common", "ntt_engine/dedicated_read"],
        parameters: vec![("N", n), ("Units", units), ("Width", 30), ("Word", 16)],
    }
}

/// The networks of paper 3's engine, as its package numbers them.
enum Network {
    Ring,
    Transposer,
}

/// The engine of paper 3: a unit is a tile.
fn two_epoch(n: u32, units: u32, network: Network, word: u32) -> Design {
    Design {
        top: "two_epoch_machine",
        parts: &["common", "ntt_engine/two_epoch"],
        parameters: vec![
            ("N", n),
            ("Units", units),
            ("Network", network as u32),
            ("Word", word),
        ],
    }
}

/// The rings of the engine with XOR banks, as its package numbers them.
enum Ring {
    Power,
    Fermat,
}

/// Our engine, for primes of 50 bits.
fn xor_banks(n: u32, units: u32, ring: Ring) -> Design {
    Design {
        top: "xor_banks_machine",
        parts: &["common", "ntt_engine/xor_banks"],
        parameters: vec![
            ("N", n),
            ("Units", units),
            ("Width", 50),
            ("Word", 17),
            ("Ring", ring as u32),
        ],
    }
}

impl Design {
    /// The module and its parameters, as `hdl/hw` prints them.
    pub fn label(&self) -> String {
        let parameters = self.parameters.iter();
        let parameters = parameters.map(|(name, value)| format!(" {name}={value}"));
        self.top.to_owned() + &parameters.collect::<String>()
    }

    /// A name for the class and the library.
    pub fn class(&self) -> String {
        let mut class = String::from("Model");
        class.extend(self.label().split(['_', ' ', '=']).flat_map(capitalised));
        class
    }
}

fn capitalised(word: &str) -> impl Iterator<Item = char> {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase())
        .into_iter()
        .chain(letters)
}
