//! Jobs that go on with the results of others.

use std::collections::BTreeSet;

use ringmill_circuit::{Circuit, PortSize, Visibility};
use ringmill_engine::{FormerResults, Plan};
use ringmill_fv::Parameters;

use crate::Error;
use crate::job::Job;
use crate::platform::Platform;
use crate::session::plan_digest;

/// What is known of the job whose results are the inputs of another.
#[derive(Debug, Clone)]
pub(crate) struct FormerJob {
    name: String,
    results: FormerResults,
    parameters: Parameters,
    ports: Vec<PortSize>,
    /// The automorphisms for which there are keys.
    exponents: BTreeSet<u64>,
}

impl FormerJob {
    /// Of a job whose results bear further products.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage) if nothing can go on with its results.
    pub fn new<P: Platform>(job: &Job<P>) -> Result<Self, Error> {
        let (name, plan) = (job.name().to_owned(), job.plan_details());
        let unfit = |problem: &str| Err(Error::Usage(format!("--after: {problem}")));
        if plan.recipe().flooding {
            return unfit(&format!(
                "the noise of the results of {name} is drowned, so that nothing can be computed with them; plan it without \
                 --share-results"
            ));
        }
        if plan.recipe().aggregates.is_some() {
            return unfit(&format!(
                "the results of {name} are totals over all records, which nothing can be computed of; decrypt them"
            ));
        }
        let Some(results) = plan.results(plan_digest(plan)?) else {
            return unfit(&format!(
                "some results of {name} depend on public inputs alone and are not encrypted; give them to the evaluator as \
                 public inputs of the next circuit instead"
            ));
        };
        let outputs = job.circuit().outputs().iter();
        let ports = outputs.map(|port| PortSize::new(&port.name, port.kind, port.wires.len()));
        Ok(Self {
            ports: ports.collect(),
            results,
            parameters: plan.parameters().clone(),
            exponents: plan.galois_exponents(),
            name,
        })
    }

    pub const fn results(&self) -> FormerResults {
        self.results
    }

    pub const fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Sees that the private inputs of a circuit are the results, port by port, whatever their names.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage).
    pub fn check_ports(&self, name: &str, circuit: &Circuit) -> Result<(), Error> {
        let inputs = circuit.inputs().iter();
        let private = inputs.filter(|port| port.visibility == Visibility::Private);
        let takes = private.map(|port| PortSize::new(&port.name, port.kind, port.wires.len()));
        let takes: Vec<PortSize> = takes.collect();
        let shape = |port: &PortSize| (port.kind, port.wires);
        if self.ports.iter().map(shape).eq(takes.iter().map(shape)) {
            return Ok(());
        }
        let list = |ports: &[PortSize]| {
            let ports: Vec<String> = ports.iter().map(ToString::to_string).collect();
            ports.join(", ")
        };
        Err(Error::Usage(format!(
            "--after: {} gives {}, and {name} takes {}; there must be as many ports, in order, each of the same width, with \
             the others of {name} public",
            self.name,
            list(&self.ports),
            list(&takes)
        )))
    }

    /// Sees that the keys of the former job are enough.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`](crate::ErrorKind::Usage).
    pub fn check_keys(&self, name: &str, plan: &Plan) -> Result<(), Error> {
        if plan.galois_exponents().is_subset(&self.exponents) {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "--after: {name} has linear maps of bytes or totals, for which the keys of {} are not enough; compute both in \
             one job with --then",
            self.name
        )))
    }
}
