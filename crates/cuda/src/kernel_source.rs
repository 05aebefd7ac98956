//! The source text that is compiled for a GPU.

use ringmill_ring::Ring;

use crate::Arithmetic;

/// A program in CUDA C++: one text, the headers that it includes, and the compiler's options.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelSource {
    /// The text with the entries.
    pub source: String,
    /// The names of headers as they are included, and their texts.
    pub headers: Vec<(String, String)>,
    /// Options in addition to those of every compilation, such as definitions.
    pub options: Vec<String>,
}

/// A file of `kernels/` and its text.
macro_rules! kernel {
    ($name:literal) => {
        ($name, include_str!(concat!("../kernels/", $name)))
    };
}

/// The text with the entries.
const ENTRIES: &str = include_str!("../kernels/entries.cu");

/// All headers that it includes.
const HEADERS: &[(&str, &str)] = &[
    kernel!("columns.cuh"),
    kernel!("convert.cuh"),
    kernel!("digits.cuh"),
    kernel!("doubles.cuh"),
    kernel!("keys.cuh"),
    kernel!("limbs.cuh"),
    kernel!("machine.cuh"),
    kernel!("map.cuh"),
    kernel!("multiples.cuh"),
    kernel!("pointwise.cuh"),
    kernel!("prime.cuh"),
    kernel!("products.cuh"),
    kernel!("transform_butterflies.cuh"),
    kernel!("transform_entries.cuh"),
    kernel!("transform_fermat.cuh"),
    kernel!("transform_lines.cuh"),
    kernel!("transform_negacyclic.cuh"),
    kernel!("transform_plan.cuh"),
    kernel!("transform_splitting.cuh"),
    kernel!("words.cuh"),
];

impl KernelSource {
    /// The kernels of a device for its ring and its arithmetic.
    #[must_use]
    pub fn of_device(ring: &Ring, arithmetic: Arithmetic) -> Self {
        let dimension = format!("RINGMILL_N={}", ring.n());
        let ring = match ring.as_fermat() {
            Some(_) => "RINGMILL_FERMAT",
            None => "RINGMILL_NEGACYCLIC",
        };
        let arithmetic = format!("RINGMILL_{}", arithmetic.name().to_uppercase());
        Self::kernels(&[&arithmetic, ring, &dimension])
    }

    /// The kernels of this crate. Definitions choose among them: `RINGMILL_DOUBLES` or `RINGMILL_WORDS` for
    /// the arithmetic; `RINGMILL_FERMAT` or `RINGMILL_NEGACYCLIC`, and `RINGMILL_N` for the dimension, for
    /// the transforms of a ring. Without the latter the transforms are left out.
    #[must_use]
    pub fn kernels(defined: &[&str]) -> Self {
        let headers = HEADERS
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        Self {
            source: ENTRIES.to_owned(),
            headers: headers.collect(),
            options: defined.iter().map(|name| format!("-D{name}")).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::KernelSource;

    /// The headers that a text includes for GPUs; these lack the emulator's part of `machine.cuh`.
    fn included(text: &str) -> impl Iterator<Item = &str> {
        let names = text.lines().filter_map(|line| line.strip_prefix("#include \""));
        let names = names.filter_map(|rest| rest.split('"').next());
        names.filter(|name| !name.starts_with("../emulator/"))
    }

    #[test]
    fn all_that_is_included_is_there() {
        let program = KernelSource::kernels(&[]);
        let there: BTreeSet<_> = program.headers.iter().map(|(name, _)| name.as_str()).collect();
        let texts = program
            .headers
            .iter()
            .map(|(_, text)| text)
            .chain([&program.source]);
        for name in texts.flat_map(|text| included(text)) {
            assert!(
                there.contains(name),
                "{name} is included but not among the headers"
            );
        }
    }

    #[test]
    fn every_kernel_file_is_embedded() {
        let program = KernelSource::kernels(&[]);
        let mut embedded: BTreeSet<_> = program.headers.into_iter().map(|(name, _)| name).collect();
        embedded.insert("entries.cu".to_owned());
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
        let files = fs::read_dir(folder).unwrap();
        let files: BTreeSet<_> = files
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        assert_eq!(embedded, files);
    }
}
