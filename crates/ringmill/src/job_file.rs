use std::io::Read;
use std::path::{Path, PathBuf};

use ringmill_engine::Recipe;
use ringmill_format::FormatError;
use ringmill_fv::{FvError, Parameters};

use crate::circuits::{NamedCircuit, source};
use crate::files::read;
use crate::{Error, Policy};

/// What a job file holds: parameters and, unless they are for messages, how a circuit is evaluated with them, and that
/// circuit.
///
/// Files that earlier versions wrote (parameters files) hold no circuit: [`JobFile::with_circuit`] names it.
#[derive(Debug, Clone)]
pub struct JobFile {
    path: PathBuf,
    parameters: Parameters,
    recipe: Option<Recipe>,
    circuit: Option<NamedCircuit>,
}

impl JobFile {
    /// Reads a job file; `-` is standard input.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile), [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let (parameters, recipe, steps) = read(path, |input| {
            let parameters = Parameters::read(&mut *input)?;
            let recipe = more(input)?
                .map(|input| read_recipe(input, &parameters))
                .transpose()?;
            let steps = match &recipe {
                None => None,
                Some(_) => more(input)?
                    .map(|input| source::read(parameters.hash(), input))
                    .transpose()?,
            };
            Ok((parameters, recipe, steps))
        })?;
        let circuit = steps.map(|steps| source::build(&steps)).transpose();
        Ok(Self {
            path: path.to_path_buf(),
            parameters,
            recipe,
            circuit: circuit.map_err(|error| Error::data(path, format!("the circuit: {error}")))?,
        })
    }

    /// The same with this circuit, instead of the one that it holds if it does: plans of other circuits are refused.
    #[must_use]
    pub fn with_circuit(mut self, circuit: NamedCircuit) -> Self {
        self.circuit = Some(circuit);
        self
    }

    /// Whether there is no plan: the parameters are for messages.
    #[must_use]
    pub const fn is_for_messages(&self) -> bool {
        self.recipe.is_none()
    }

    /// The parameters.
    #[must_use]
    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The circuit that was planned, if it is known.
    #[must_use]
    pub const fn circuit(&self) -> Option<&NamedCircuit> {
        self.circuit.as_ref()
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The parameters, if they are for messages and the policy accepts them.
    ///
    /// # Errors
    /// [`ErrorKind::BadFile`](crate::ErrorKind::BadFile).
    pub fn message_parameters(&self, policy: &Policy) -> Result<Parameters, Error> {
        if self.recipe.is_some() {
            return Err(Error::data(
                &self.path,
                "these parameters have a plan for a circuit; name it with --circuit, or make parameters for messages \
                 with `ringmill plan --preset NAME`",
            ));
        }
        policy.check_parameters(&self.path, &self.parameters)?;
        Ok(self.parameters.clone())
    }

    /// The parts of a circuit's job, if the policy accepts them.
    pub(crate) fn parts(&self, policy: &Policy) -> Result<(&NamedCircuit, &Parameters, &Recipe), Error> {
        let missing = |what: &str| Error::data(&self.path, what);
        let Some(recipe) = &self.recipe else {
            return Err(missing(&format!("field plan: {NO_PLAN}")));
        };
        let Some(circuit) = &self.circuit else {
            return Err(missing(
                "the file has a plan, but not the circuit that it is for; name it with --circuit",
            ));
        };
        policy.check_parameters(&self.path, &self.parameters)?;
        policy.check_recipe(&self.path, recipe)?;
        Ok((circuit, &self.parameters, recipe))
    }
}

/// What is wrong with a file that ends where the plan should be.
const NO_PLAN: &str = "there is none or it is cut off; make the file anew with `ringmill plan --circuit`";

fn read_recipe(input: impl Read, parameters: &Parameters) -> Result<Recipe, FormatError> {
    Recipe::read(input, parameters).map_err(|error| match error {
        FormatError::Truncated => FormatError::BadValue {
            field: "plan",
            problem: NO_PLAN.to_owned(),
        },
        error => error,
    })
}

/// The rest of an input, unless it is at its end.
fn more<'a>(input: &'a mut (dyn Read + 'a)) -> Result<Option<impl Read + 'a>, FvError> {
    let mut first = Vec::with_capacity(1);
    input.take(1).read_to_end(&mut first).map_err(FormatError::from)?;
    if first.is_empty() {
        return Ok(None);
    }
    Ok(Some(std::io::Cursor::new(first).chain(input)))
}
