use std::sync::Arc;

use ringmill_device::Device;
use ringmill_engine::{Ladder, ProductSum, Scheme};
use ringmill_fv::Plaintext;

use super::{Ciphertext, Context, EvaluationKey, Product};
use crate::ntru::{Base, NtruError};

/// Products relinearized with one pass over the key.
const TOGETHER: usize = 4;

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
    /// Where values of a circuit of this depth rest: each product leads one level down, the last to level 1.
    ///
    /// # Errors
    /// [`NtruError::TooDeep`].
    pub fn ladder(&self, depth: usize) -> Result<Ladder, NtruError> {
        self.noise_model().check_depth(depth)?;
        Ok(Ladder {
            name: self.base.parameters().name().to_owned(),
            records: self.base.slots().len(),
            levels: (1..=depth + 1).rev().collect(),
        })
    }
}

impl<D: Device> Scheme for Evaluator<D> {
    type Ciphertext = Ciphertext<D>;
    /// Ciphertexts rest in evaluation domain.
    type Factor = Ciphertext<D>;
    type Product = Product<D>;
    type Error = NtruError;
    type Encoding = Base<D>;

    fn encoding(&self) -> &Base<D> {
        self.context.base()
    }

    fn level(&self, a: &Ciphertext<D>) -> usize {
        a.level()
    }

    fn factor(&self, a: &Ciphertext<D>) -> Result<Ciphertext<D>, NtruError> {
        Ok(a.clone())
    }

    fn multiply(&self, pairs: &[(&Ciphertext<D>, &Ciphertext<D>)]) -> Result<Product<D>, NtruError> {
        self.context.multiply(pairs)
    }

    fn relinearize(
        &self,
        product: Product<D>,
        terms: &[&Ciphertext<D>],
        level: usize,
    ) -> Result<Ciphertext<D>, NtruError> {
        let sums = [(&product, terms)];
        let mut results = self.context.relinearize_all(&self.key, &sums, level)?;
        results.pop().ok_or(NtruError::NoOperands)
    }

    fn together(&self) -> usize {
        TOGETHER
    }

    fn relinearize_all(
        &self,
        products: Vec<ProductSum<'_, Self>>,
        level: usize,
    ) -> Result<Vec<Ciphertext<D>>, NtruError> {
        let sums = products.iter().map(|sum| (&sum.product, &sum.terms[..]));
        self.context
            .relinearize_all(&self.key, &sums.collect::<Vec<_>>(), level)
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
