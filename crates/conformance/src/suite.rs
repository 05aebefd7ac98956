use ringmill_arith::Basis;
use ringmill_ring::Domain;

use super::random::Random;
use super::{Effort, Failure, Operation, Report};
use ringmill_device::{Device, DeviceError};

/// A device under test, the source of inputs and what was done so far.
pub(super) struct Suite<'a, D: Device> {
    pub(super) device: &'a D,
    pub(super) effort: Effort,
    pub(super) random: Random,
    report: Report,
}

/// An operation and its inputs in words.
#[derive(Clone)]
pub(super) struct Case {
    operation: Operation,
    name: String,
}

impl Operation {
    pub(super) fn case(self, name: impl Into<String>) -> Case {
        Case {
            operation: self,
            name: name.into(),
        }
    }
}

impl Case {
    /// The result of a call that must succeed.
    pub(super) fn done<T>(&self, result: Result<T, DeviceError>) -> Result<T, Failure> {
        result.map_err(|error| Failure::Refused {
            operation: self.operation,
            case: self.name.clone(),
            error,
        })
    }

    pub(super) fn count(&self, expected: usize, got: usize) -> Result<(), Failure> {
        if expected == got {
            return Ok(());
        }
        Err(Failure::Count {
            operation: self.operation,
            case: self.name.clone(),
            expected,
            got,
        })
    }

    /// Sees that digits belong to the right key elements.
    pub(super) fn elements(&self, expected: &[usize], got: &[usize]) -> Result<(), Failure> {
        self.count(expected.len(), got.len())?;
        expected.iter().zip(got).try_for_each(|(&x, &y)| self.count(x, y))
    }

    /// Sees that a limb's values sum to the right number.
    pub(super) fn total(&self, limb: usize, modulus: u64, expected: u64, got: u64) -> Result<(), Failure> {
        if expected == got {
            return Ok(());
        }
        Err(Failure::Total {
            operation: self.operation,
            case: self.name.clone(),
            limb,
            modulus,
            expected,
            got,
        })
    }
}

impl<'a, D: Device> Suite<'a, D> {
    pub(super) fn new(device: &'a D, effort: Effort, seed: u64) -> Self {
        Self {
            device,
            effort,
            random: Random::new(seed),
            report: Report::default(),
        }
    }

    pub(super) fn report(self) -> Report {
        self.report
    }

    pub(super) fn n(&self) -> usize {
        self.device.ring().n()
    }

    /// A polynomial of these words, as an input of other operations.
    pub(super) fn upload(&self, basis: &Basis, domain: Domain, words: &[u64]) -> Result<D::Poly, Failure> {
        Operation::Upload
            .case("input")
            .done(self.device.upload(basis, domain, words))
    }

    /// A random polynomial with edges (see [`Random::words`]), and its words.
    pub(super) fn draw(
        &mut self,
        basis: &Basis,
        domain: Domain,
        rank: u32,
    ) -> Result<(D::Poly, Vec<u64>), Failure> {
        let words = self.random.words(basis, self.n(), rank);
        Ok((self.upload(basis, domain, &words)?, words))
    }

    /// The words of a result, whose basis and domain must be these.
    pub(super) fn words(
        &self,
        case: &Case,
        poly: &D::Poly,
        basis: &Basis,
        domain: Domain,
    ) -> Result<Vec<u64>, Failure> {
        let (operation, name) = (case.operation, case.name.clone());
        let got = self.device.basis(poly);
        if got != basis {
            let values = |basis: &Basis| basis.moduli().iter().map(|q| q.value()).collect();
            return Err(Failure::Basis {
                operation,
                case: name,
                expected: values(basis),
                got: values(got),
            });
        }
        let got = self.device.domain(poly);
        if got != domain {
            return Err(Failure::Domain {
                operation,
                case: name,
                expected: domain,
                got,
            });
        }
        let words = case.done(self.device.download(poly))?;
        case.count(basis.len() * self.n(), words.len())?;
        Ok(words)
    }

    /// Compares all of a result with what it should be.
    pub(super) fn compare(
        &mut self,
        case: &Case,
        poly: &D::Poly,
        basis: &Basis,
        domain: Domain,
        expected: &[u64],
    ) -> Result<(), Failure> {
        let words = self.words(case, poly, basis, domain)?;
        self.compare_words(case, &words, basis, expected)
    }

    /// Compares a result's words, of which there are as many as expected.
    pub(super) fn compare_words(
        &mut self,
        case: &Case,
        words: &[u64],
        basis: &Basis,
        expected: &[u64],
    ) -> Result<(), Failure> {
        let n = self.n();
        case.count(expected.len(), words.len())?;
        if let Some(at) = words.iter().zip(expected).position(|(x, y)| x != y) {
            return Err(Failure::Word {
                operation: case.operation,
                case: case.name.clone(),
                limb: at / n,
                modulus: basis.moduli().get(at / n).map_or(0, |q| q.value()),
                index: at % n,
                expected: expected[at],
                got: words[at],
            });
        }
        self.report.compared(case.operation, words.len());
        Ok(())
    }

    /// Sees that a call is refused with the right error.
    pub(super) fn refused<T>(
        &mut self,
        case: &Case,
        result: Result<T, DeviceError>,
        expected: &str,
        fits: impl Fn(&DeviceError) -> bool,
    ) -> Result<(), Failure> {
        let (operation, name, expected) = (case.operation, case.name.clone(), expected.to_owned());
        match result {
            Ok(_) => Err(Failure::Accepted {
                operation,
                case: name,
                expected,
            }),
            Err(error) if fits(&error) => {
                self.report.refused(operation);
                Ok(())
            }
            Err(got) => Err(Failure::Error {
                operation,
                case: name,
                expected,
                got,
            }),
        }
    }
}
