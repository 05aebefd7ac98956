use std::sync::Arc;

use ringmill_arith::sampling::{Seed, Stream};
use ringmill_device::Device;
use ringmill_engine::LevelChain;
use ringmill_ring::Domain;

use super::extension::Extension;
use super::{Ciphertext, Context, NoiseModel};
use crate::ntru::{Leveled, NtruError, NtruScheme, Parameters, PreparedOperand, Scheme, Sealed, T};

/// Products, or inputs, of one level that a factor of a product may be the sum of.
const TERMS: usize = 4;

/// The scheme YASHE, as a type parameter.
#[derive(Debug, Clone, Copy)]
pub enum Yashe {}

impl Sealed for Yashe {}

impl NtruScheme for Yashe {
    const SCHEME: Scheme = Scheme::Yashe;
    /// Products begin with a lift of coefficients.
    const DOMAIN: Domain = Domain::Coefficient;
    const TOGETHER: usize = 1;
    /// From level 1 on.
    type Tables = Vec<Extension>;
    /// In evaluation domain over the pool.
    type Elements<D: Device> = Vec<D::Poly>;

    fn tables(parameters: &Parameters) -> Result<Vec<Extension>, NtruError> {
        // From the highest level, so that an error says what all levels need.
        let levels = (1..=parameters.levels()).rev();
        let extensions = levels.map(|level| Extension::new(parameters, level));
        let mut extensions = extensions.collect::<Result<Vec<_>, _>>()?;
        extensions.reverse();
        Ok(extensions)
    }

    fn stream(seed: &Seed) -> Stream {
        Stream::new(seed)
    }

    /// Lifted to the larger basis and transformed.
    fn factor<D: Device>(
        context: &Context<D>,
        a: &Ciphertext<D>,
    ) -> Result<PreparedOperand<Self, D>, NtruError> {
        let (level, extension) = (a.level(), &context.extension(a.level())?.basis);
        let poly = context.device().lift(&a.0.poly, extension, Domain::Evaluation)?;
        Ok(PreparedOperand(Arc::new(Leveled::new(poly, level))))
    }

    /// round((2/q) sum c c'). As many products as the larger basis holds are scaled at once.
    fn multiply<D: Device>(
        context: &Context<D>,
        pairs: &[(&D::Poly, &D::Poly)],
        level: usize,
    ) -> Result<D::Poly, NtruError> {
        let (device, keep) = (context.device(), context.parameters().q_at(level)?.len());
        let mut sums = Vec::new();
        for pairs in pairs.chunks(context.extension(level)?.products) {
            sums.push(device.scale(&device.inner_product(pairs, Domain::Coefficient)?, T, keep)?);
        }
        match sums.len() {
            1 => Ok(sums.swap_remove(0)),
            _ => Ok(device.sum(&sums.iter().collect::<Vec<_>>())?),
        }
    }

    fn no_elements<D: Device>(_: &Context<D>) -> Vec<D::Poly> {
        Vec::new()
    }

    fn push_element<D: Device>(
        _: &Context<D>,
        elements: &mut Vec<D::Poly>,
        element: D::Poly,
    ) -> Result<(), NtruError> {
        elements.push(element);
        Ok(())
    }

    fn element<D: Device>(
        context: &Context<D>,
        elements: &Vec<D::Poly>,
        k: usize,
    ) -> Result<D::Poly, NtruError> {
        let element = elements.get(k).ok_or(NtruError::NoOperands)?;
        Ok(context.device().copy(element)?)
    }

    fn switch_keys<D: Device>(
        context: &Context<D>,
        elements: &Vec<D::Poly>,
        products: &[&D::Poly],
    ) -> Result<Vec<D::Poly>, NtruError> {
        let device = context.device();
        let switched = products.iter().map(|product| {
            let digits = device.decompose(product, context.digits())?;
            let pairs: Vec<_> = digits.iter().zip(elements).collect();
            Ok(device.inner_product(&pairs, Domain::Coefficient)?)
        });
        switched.collect()
    }

    fn depth(noise: &NoiseModel) -> Result<usize, NtruError> {
        noise.depth(noise.parameters().levels(), TERMS)
    }
}

impl<D: Device> Context<D> {
    /// The extensions of ciphertexts of a level for products.
    pub(super) fn extension(&self, level: usize) -> Result<&Extension, NtruError> {
        let extension = level.checked_sub(1).and_then(|i| self.tables().get(i));
        extension.ok_or(NtruError::BadLevel {
            level,
            levels: self.tables().len(),
        })
    }

    /// As [`Context::level_chain`] with all values at the highest level, as the paper has it.
    ///
    /// # Errors
    /// [`NtruError::TooDeep`].
    pub fn constant_level_chain(&self, depth: usize) -> Result<LevelChain, NtruError> {
        self.noise_model().check_depth(depth)?;
        Ok(self.level_chain_of(vec![self.parameters().levels(); depth + 1]))
    }
}
