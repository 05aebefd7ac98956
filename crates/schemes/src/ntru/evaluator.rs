use std::sync::Arc;

use ringmill_device::Device;
use ringmill_engine::{LevelChain, ProductSum, Scheme, Side};
use ringmill_rlwe::Plaintext;

use super::{Ciphertext, Context, EvaluationKey, NtruError, NtruScheme, PreparedOperand, Product};

/// A context with an evaluation key: what the engine evaluates circuits over.
pub struct Evaluator<S: NtruScheme, D: Device> {
    context: Arc<Context<S, D>>,
    key: EvaluationKey<S, D>,
}

impl<S: NtruScheme, D: Device> Evaluator<S, D> {
    /// An evaluator with this key.
    #[must_use]
    pub fn new(context: Arc<Context<S, D>>, key: EvaluationKey<S, D>) -> Self {
        Self { context, key }
    }

    /// The context.
    #[must_use]
    pub fn context(&self) -> &Context<S, D> {
        &self.context
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &EvaluationKey<S, D> {
        &self.key
    }
}

impl<S: NtruScheme, D: Device> Context<S, D> {
    /// Where values of a circuit of this depth rest: each product leads one level down, the last to level 1, so
    /// that all moduli are as small as the noise lets them be.
    ///
    /// # Errors
    /// [`NtruError::TooDeep`].
    pub fn level_chain(&self, depth: usize) -> Result<LevelChain, NtruError> {
        self.noise_model().check_depth(depth)?;
        let levels = (1..=depth + 1).rev().map(|level| self.lowest_alike(level));
        Ok(self.level_chain_of(levels.collect::<Result<_, _>>()?))
    }

    pub(crate) fn level_chain_of(&self, levels: Vec<usize>) -> LevelChain {
        LevelChain {
            name: self.parameters().name().to_owned(),
            records: self.slots().len(),
            sides: Side::ALIKE,
            levels,
        }
    }

    /// The lowest level with the modulus of this one: there is nothing to switch between them.
    fn lowest_alike(&self, level: usize) -> Result<usize, NtruError> {
        let basis = self.parameters().q_at(level)?;
        let alike = |l: &usize| self.parameters().q_at(*l).is_ok_and(|other| other == basis);
        Ok((1..level).find(alike).unwrap_or(level))
    }
}

impl<S: NtruScheme, D: Device> Scheme for Evaluator<S, D> {
    type Ciphertext = Ciphertext<S, D>;
    type PreparedOperand = PreparedOperand<S, D>;
    type Product<'a>
        = Product<S, D>
    where
        Self: 'a;
    type Error = NtruError;
    type Encoding = Context<S, D>;

    fn encoding(&self) -> &Context<S, D> {
        &self.context
    }

    fn level(&self, a: &Ciphertext<S, D>) -> usize {
        a.level()
    }

    fn factor(&self, a: &Ciphertext<S, D>, _: Side) -> Result<PreparedOperand<S, D>, NtruError> {
        self.context.factor(a)
    }

    fn multiply<'a>(
        &'a self,
        pairs: &[(&'a PreparedOperand<S, D>, &'a PreparedOperand<S, D>)],
    ) -> Result<Product<S, D>, NtruError> {
        self.context.multiply(pairs)
    }

    fn relinearize(
        &self,
        product: Product<S, D>,
        terms: &[&Ciphertext<S, D>],
        level: usize,
    ) -> Result<Ciphertext<S, D>, NtruError> {
        self.context.relinearize(&self.key, &product, terms, level)
    }

    fn together(&self) -> usize {
        S::TOGETHER
    }

    fn relinearize_all(
        &self,
        products: Vec<ProductSum<'_, Self>>,
        level: usize,
    ) -> Result<Vec<Ciphertext<S, D>>, NtruError> {
        let sums = products.iter().map(|sum| (&sum.product, &sum.terms[..]));
        self.context
            .relinearize_all(&self.key, &sums.collect::<Vec<_>>(), level)
    }

    fn sum(&self, terms: &[&Ciphertext<S, D>], complement: bool) -> Result<Ciphertext<S, D>, NtruError> {
        self.context.sum_with(terms, complement)
    }

    fn trivial(&self, plaintext: &Plaintext, level: usize) -> Result<Ciphertext<S, D>, NtruError> {
        self.context.trivial(plaintext, level)
    }

    fn multiply_plain(
        &self,
        a: &Ciphertext<S, D>,
        plaintext: &Plaintext,
    ) -> Result<Ciphertext<S, D>, NtruError> {
        self.context.multiply_plain(a, plaintext)
    }

    fn switch(&self, a: &Ciphertext<S, D>, level: usize) -> Result<Ciphertext<S, D>, NtruError> {
        self.context.switch(a, level)
    }

    fn finish(&self) -> Result<(), NtruError> {
        Ok(self.context.device().finish()?)
    }

    fn hint_idle(&self, a: &Ciphertext<S, D>) {
        self.context.device().hint_idle(&a.0.poly);
    }

    fn prefetch(&self, a: &Ciphertext<S, D>) {
        self.context.device().prefetch(&a.0.poly);
    }
}
