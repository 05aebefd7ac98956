use std::path::Path;

use clap::{Args, ValueEnum};
use ringmill::circuits::{self, NamedCircuit};
use ringmill::{Error, Optimise};

/// Which circuit.
#[derive(Debug, Clone, Args)]
pub struct CircuitChoice {
    /// A circuit of `ringmill circuits`, or a file in Bristol Fashion or Bristol Format; - for standard input.
    // Some steps do without a circuit; the others miss it when they get their arguments.
    #[arg(long, visible_alias = "cipher", value_name = "NAME|FILE", required = false)]
    pub circuit: String,
    /// A circuit that takes the results of the first as its private inputs; both are evaluated as one. Output ports
    /// become private inputs in order, and must have the same widths. Of a block cipher each block is a record of the
    /// private inputs as in a binary table: each in whole bytes, what is left of the block is padding.
    #[arg(long, value_name = "NAME|FILE", requires = "circuit")]
    pub then: Option<String>,
    /// An input port that the evaluator sees in the clear, of the last circuit named (in files ports are
    /// x0, x1, ...). May be repeated.
    #[arg(long, value_name = "PORT", requires = "circuit")]
    pub public: Vec<String>,
    /// Which variants of the circuit `params` plans. The one taken stands in the parameters file, and all other
    /// steps follow that, whatever they are told here.
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        requires = "circuit",
        num_args = 0..=1,
        default_value = "auto",
        default_missing_value = "auto"
    )]
    pub optimise: OptimiseChoice,
}

/// The variants of a circuit that are planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OptimiseChoice {
    /// The circuit as it is and optimised ones; the one that is predicted to be fastest is taken.
    Auto,
    /// The circuit as it is.
    Off,
    /// The one with the fewest products.
    LeastProducts,
    /// The one of the least depth.
    LeastDepth,
}

impl From<OptimiseChoice> for Optimise {
    fn from(choice: OptimiseChoice) -> Self {
        match choice {
            OptimiseChoice::Auto => Self::Auto,
            OptimiseChoice::Off => Self::Off,
            OptimiseChoice::LeastProducts => Self::LeastProducts,
            OptimiseChoice::LeastDepth => Self::LeastDepth,
        }
    }
}

impl CircuitChoice {
    /// The options that may name a file.
    pub fn inputs(&self) -> [(&str, Option<&Path>); 2] {
        [
            ("--circuit", Some(Path::new(&self.circuit))),
            ("--then", self.then.as_deref().map(Path::new)),
        ]
    }

    /// Builds or reads it.
    pub fn build(&self) -> Result<NamedCircuit, Error> {
        let first = circuits::find(&self.circuit)?;
        match &self.then {
            None => self.with_public(first),
            Some(then) => first.then(&self.with_public(circuits::find(then)?)?),
        }
    }

    fn with_public(&self, circuit: NamedCircuit) -> Result<NamedCircuit, Error> {
        self.public
            .iter()
            .try_fold(circuit, |circuit, port| circuit.with_public(port))
    }
}
