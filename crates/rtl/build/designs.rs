//! The machines that are built.

/// A top module with parameters.
pub struct Design {
    pub top: &'static str,
    /// The folders of `hdl/` with its sources, the lowest part first.
    pub parts: &'static [&'static str],
    pub parameters: Vec<(&'static str, u32)>,
}

/// An NTT multiplier: n, butterfly units, words a beat, result buffers.
pub type NttMultiplier = (u32, u32, u32, u32);

/// The paper's, the one of its table II, and small ones for quick tests.
pub const NTT_MULTIPLIERS: [NttMultiplier; 4] =
    [(1024, 64, 4, 4), (1024, 2, 1, 2), (128, 8, 4, 4), (64, 4, 1, 4)];

pub fn ntt_multiplier((n, units, link, buffers): NttMultiplier) -> Design {
    Design {
        top: "ntt_multiplier",
        parts: &["common", "ntt_multiplier"],
        parameters: vec![
            ("N", n),
            ("Units", units),
            ("LinkWords", link),
            ("ResultBuffers", buffers),
        ],
    }
}

/// The machines around transform engines. Those of full size take minutes to compile, so they are built with the
/// feature `rtl-full` only.
pub fn engines() -> Vec<Design> {
    Vec::new()
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
