use std::sync::Arc;

use ringmill_device::Device;
use ringmill_engine::{Ladder, Scheme};
use ringmill_fv::Plaintext;

use super::{Ciphertext, Context, EvaluationKey, Factor, Product};
use crate::ntru::{Base, NtruError};

/// A context with an evaluation key: what the engine evaluates circuits over.
pub struct Evaluator<D: Device> {
    context: Arc<Context<D>>,
    key: EvaluationKey<D>,
}

impl<D: Device> Evaluator<D> {
    /// An evaluator with this key.
    #[must_use]
    pub fn new(context: Arc<Context<D>>, key: EvaluationKey<D>) -> Self {
        Self { context, key }
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &Context<D> {
        &self.context
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &EvaluationKey<D> {
        &self.key
    }
}

impl<D: Device> Context<D> {
    /// Where values of a circuit of this depth rest: before the last product at level 2, so that all moduli are
    /// as small as the noise lets them be.
    ///
    /// # Errors
    /// [`NtruError::TooDeep`].
    pub fn ladder(&self, depth: usize) -> Result<Ladder, NtruError> {
        self.noise_model().check_depth(depth)?;
        let levels = (1..=depth + 1).rev().map(|level| self.lowest_alike(level));
        self.ladder_of(levels.collect::<Result<_, _>>()?)
    }

    /// As [`Context::ladder`] with all values at the highest level, as the paper has it.
    ///
    /// # Errors
    /// [`NtruError::TooDeep`].
    pub fn level_ladder(&self, depth: usize) -> Result<Ladder, NtruError> {
        self.noise_model().check_depth(depth)?;
        self.ladder_of(vec![self.parameters().levels(); depth + 1])
    }

    fn ladder_of(&self, levels: Vec<usize>) -> Result<Ladder, NtruError> {
        Ok(Ladder {
            name: self.parameters().name().to_owned(),
            records: self.base().slots().len(),
            levels,
        })
    }

    /// The lowest level with the modulus of this one: there is nothing to switch between them.
    fn lowest_alike(&self, level: usize) -> Result<usize, NtruError> {
        let basis = self.parameters().q_at(level)?;
        let alike = |l: &usize| self.parameters().q_at(*l).is_ok_and(|other| other == basis);
        Ok((1..level).find(alike).unwrap_or(level))
    }
}

impl<D: Device> Scheme for Evaluator<D> {
    type Ciphertext = Ciphertext<D>;
    type Factor = Factor<D>;
    type Product = Product<D>;
    type Error = NtruError;
    type Encoding = Base<D>;

    fn encoding(&self) -> &Base<D> {
        self.context.base()
    }

    fn level(&self, a: &Ciphertext<D>) -> usize {
        a.level()
    }

    fn factor(&self, a: &Ciphertext<D>) -> Result<Factor<D>, NtruError> {
        self.context.lift(a)
    }

    fn multiply(&self, pairs: &[(&Factor<D>, &Factor<D>)]) -> Result<Product<D>, NtruError> {
        self.context.multiply(pairs)
    }

    fn relinearize(
        &self,
        product: Product<D>,
        terms: &[&Ciphertext<D>],
        level: usize,
    ) -> Result<Ciphertext<D>, NtruError> {
        self.context.relinearize(&product, terms, &self.key, level)
    }

    fn sum(&self, terms: &[&Ciphertext<D>], complement: bool) -> Result<Ciphertext<D>, NtruError> {
        self.context.sum_with(terms, complement)
    }

    fn add_plain(&self, a: &Ciphertext<D>, plaintext: &Plaintext) -> Result<Ciphertext<D>, NtruError> {
        self.context.add_plain(a, plaintext)
    }

    fn multiply_plain(&self, a: &Ciphertext<D>, plaintext: &Plaintext) -> Result<Ciphertext<D>, NtruError> {
        self.context.multiply_plain(a, plaintext)
    }

    fn switch(&self, a: &Ciphertext<D>, level: usize) -> Result<Ciphertext<D>, NtruError> {
        self.context.switch(a, level)
    }

    fn finish(&self) -> Result<(), NtruError> {
        Ok(self.context.base().device().finish()?)
    }

    fn rest(&self, a: &Ciphertext<D>) {
        self.context.base().device().rest(&a.0.poly);
    }

    fn expect(&self, a: &Ciphertext<D>) {
        self.context.base().device().expect(&a.0.poly);
    }
}
