use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ringmill::circuit::Visibility;
use ringmill::circuits::{self, KnownTypes, NamedCircuit};
use ringmill::{Error, JobFile, Optimise};

/// Which job.
#[derive(Debug, Clone, Args)]
pub struct JobChoice {
    /// The job file, from `ringmill plan`: circuit, parameters and plan; - for standard input.
    #[arg(value_name = "JOB", required_unless_present = "params")]
    pub job: Option<PathBuf>,
    /// The same as JOB; also a file of an earlier version, which does not hold the circuit.
    #[arg(long, value_name = "FILE", conflicts_with = "job")]
    pub params: Option<PathBuf>,
    #[command(flatten)]
    pub circuit: CircuitChoice,
}

impl JobChoice {
    /// The options that may name a file.
    pub fn inputs(&self) -> Vec<(&str, Option<&Path>)> {
        let mut inputs = self.circuit.inputs();
        inputs.push(("JOB", self.job.as_deref()));
        inputs.push(("--params", self.params.as_deref()));
        inputs
    }

    /// Reads the file, and takes the circuit that is named, if one is.
    pub fn open(&self) -> Result<JobFile, Error> {
        let path = self.job.as_ref().or(self.params.as_ref());
        let file = JobFile::open(path.map_or(Path::new("-"), PathBuf::as_path))?;
        Ok(match self.circuit.build()? {
            Some(circuit) => file.with_circuit(circuit),
            None => file,
        })
    }

    /// The same for commands that evaluate: a job for messages is refused.
    pub fn open_circuit(&self) -> Result<JobFile, Error> {
        self.circuit_of(self.open()?)
    }

    /// The same of a file that is open.
    pub fn circuit_of(&self, file: JobFile) -> Result<JobFile, Error> {
        if self.is_for_messages(&file) {
            return Err(Error::Usage(format!(
                "{} is for messages, which are encrypted and decrypted only; plan a circuit, an expression or, for \
                 messages, a program: --integers",
                file.path().display()
            )));
        }
        Ok(file)
    }

    /// Whether a job is for messages: its file has no plan, and no circuit is named.
    pub fn is_for_messages(&self, file: &JobFile) -> bool {
        file.is_for_messages() && file.circuit().is_none()
    }
}

/// Which circuit.
#[derive(Debug, Clone, Args)]
pub struct CircuitChoice {
    /// A circuit of `ringmill circuits`, or a file: an expression program if its name ends in .expr, AIGER if in .aag or
    /// .aig, BLIF if in .blif; otherwise AIGER, BLIF, Bristol Fashion or Bristol Format by its first word; - for standard
    /// input.
    #[arg(long, visible_alias = "cipher", value_name = "NAME|FILE")]
    pub circuit: Option<String>,
    /// Names for the ports of the circuit, which are x0, x1, ... and y0, y1, ... in Bristol files: inputs, an arrow,
    /// outputs, with commas between them. For instance 'a,b -> sum'.
    #[arg(long, value_name = "NAMES", requires = "circuit")]
    pub names: Option<String>,
    /// A circuit that takes the results of the one before as its private inputs; all are evaluated as one. May be
    /// repeated. Output ports become private inputs in order, and must have the same widths. Of a block cipher each block is
    /// a record of the private inputs as in a binary table: each in whole bytes, what is left of the block is padding.
    #[arg(long, value_name = "NAME|FILE")]
    pub then: Vec<String>,
    /// Extend results by zeros where the circuit after takes wider ones.
    #[arg(long, requires = "then")]
    pub widen: bool,
    /// An input port that the evaluator sees in the clear, of any of the circuits: PORT, or CIRCUIT.PORT where several have
    /// it. May be repeated.
    #[arg(long, value_name = "PORT")]
    pub public: Vec<String>,
    /// Which variants of the circuit `plan` looks at. The one taken stands in the job file, and all other steps follow that,
    /// whatever they are told here.
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
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
    pub fn inputs(&self) -> Vec<(&str, Option<&Path>)> {
        let then = self.then.iter().map(|name| ("--then", Some(Path::new(name))));
        let circuit = ("--circuit", self.circuit.as_deref().map(Path::new));
        std::iter::once(circuit).chain(then).collect()
    }

    /// Builds or reads it, if one is named.
    pub fn build(&self) -> Result<Option<NamedCircuit>, Error> {
        let first = self.first(&KnownTypes::default())?;
        self.chain(first)
    }

    /// The first circuit, if it is named.
    fn first(&self, known: &KnownTypes) -> Result<Option<NamedCircuit>, Error> {
        let Some(name) = &self.circuit else {
            return Ok(None);
        };
        let first = circuits::find_with(name, known)?;
        let Some(names) = &self.names else {
            return Ok(Some(first));
        };
        let (inputs, outputs) = port_names(names)?;
        first.with_names(&inputs, &outputs).map(Some)
    }

    /// A first circuit with those that follow it.
    fn chain(&self, first: Option<NamedCircuit>) -> Result<Option<NamedCircuit>, Error> {
        let Some(first) = first else {
            let given = [
                ("--then", !self.then.is_empty()),
                ("--public", !self.public.is_empty()),
            ];
            return match given.iter().find(|(_, given)| *given) {
                Some((option, _)) => Err(Error::Usage(format!("{option} is of use with a circuit only"))),
                None => Ok(None),
            };
        };
        let then = self.then.iter().map(|name| circuits::find(name));
        let all: Result<Vec<_>, Error> = std::iter::once(Ok(first)).chain(then).collect();
        circuits::chain(all?, &self.public, self.widen).map(Some)
    }
}

/// A function to plan: a circuit, or an expression.
#[derive(Debug, Clone, Args)]
pub struct FunctionChoice {
    #[command(flatten)]
    pub circuit: CircuitChoice,
    /// What is computed of each record, instead of a circuit: an expression program, such as
    /// 'flag = income > limit and score < 10'. Give the types of its inputs with --type or --types-from, or in the program:
    /// 'income: u18; limit: public u18; ...'. docs/expressions.md has the language.
    #[arg(long, value_name = "PROGRAM", conflicts_with = "circuit")]
    pub expr: Option<String>,
    /// The type of an input that an expression program does not declare: bool, u8, i8, bits[64], bytes[16], in any width;
    /// with 'public ' before it if the evaluator sees it in the clear. May be repeated.
    #[arg(long = "type", value_name = "NAME=TYPE")]
    pub types: Vec<String>,
    /// A table whose columns give the inputs of an expression program their types: the narrowest that hold all values.
    #[arg(long, value_name = "FILE")]
    pub types_from: Option<PathBuf>,
    /// A total over all records of an output, in place of a result for each record: count, any or all of a condition, sum, max
    /// or min of numbers, then a colon and the output, as in sum:distance. Repeated for each output.
    #[arg(long, value_name = "KIND:OUTPUT")]
    pub aggregate: Vec<String>,
}

impl FunctionChoice {
    /// The options that may name a file.
    pub fn inputs(&self) -> Vec<(&str, Option<&Path>)> {
        let mut inputs = self.circuit.inputs();
        inputs.push(("--types-from", self.types_from.as_deref()));
        inputs
    }

    /// Builds or reads it, if there is one.
    pub fn build(&self) -> Result<Option<NamedCircuit>, Error> {
        let mut known = match &self.types_from {
            None => KnownTypes::default(),
            Some(path) => circuits::known_types(path, None)?,
        };
        for text in &self.types {
            self.add_type(&mut known, text)?;
        }
        let first = match &self.expr {
            Some(program) => Some(circuits::from_expression("expression", program, &known)?),
            None => self.circuit.first(&known)?,
        };
        match self.circuit.chain(first)? {
            Some(circuit) if !self.aggregate.is_empty() => {
                circuit.with_named_aggregates(&self.aggregate).map(Some)
            }
            None if !self.aggregate.is_empty() => Err(Error::Usage(
                "--aggregate is of use with a circuit or an expression only".to_owned(),
            )),
            circuit => Ok(circuit),
        }
    }

    fn add_type(&self, known: &mut KnownTypes, text: &str) -> Result<(), Error> {
        let wrong = |problem: &str| Error::Usage(format!("--type {text}: {problem}"));
        let Some((name, found)) = text.split_once('=') else {
            return Err(wrong("give a name, an equals sign and a type, like income=u18"));
        };
        let (visibility, found) = match found.trim().strip_prefix("public ") {
            Some(found) => (Visibility::Public, found),
            None => (Visibility::Private, found),
        };
        let value_type = found.trim().parse();
        let value_type = value_type.map_err(|error: circuits::UnknownType| wrong(&error.to_string()))?;
        known.insert(name.trim(), value_type, visibility);
        Ok(())
    }
}

/// The names of inputs and outputs.
fn port_names(text: &str) -> Result<(Vec<String>, Vec<String>), Error> {
    let Some((inputs, outputs)) = text.split_once("->") else {
        return Err(Error::Usage(format!(
            "--names {text}: give input names, an arrow and output names, like 'a,b -> sum'"
        )));
    };
    let names = |list: &str| list.split(',').map(|name| name.trim().to_owned()).collect();
    Ok((names(inputs), names(outputs)))
}
