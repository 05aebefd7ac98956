use ringmill_device::Device;
use ringmill_engine::{Ladder, ProductSum, Scheme};
use ringmill_fv::Plaintext;

use super::{Ciphertext, Context, EvaluationKey, Product};
use crate::ntru::{Base, NtruError};

/// Products relinearized with one pass over the key.
const TOGETHER: usize = 4;

/// LTV with its evaluation key, for the engine to evaluate circuits.
pub struct LtvScheme<'a, D: Device> {
    context: &'a Context<D>,
    key: &'a EvaluationKey<D>,
}

impl<'a, D: Device> LtvScheme<'a, D> {
    /// Evaluates with a key.
    #[must_use]
    pub fn new(context: &'a Context<D>, key: &'a EvaluationKey<D>) -> Self {
        Self { context, key }
    }
}

impl<D: Device> Context<D> {
    /// What the planner by depth needs to know: all levels, each product leading one down. The last must bear
    /// what products above it bear, so all do ([`super::NoiseModel::depth`]).
    #[must_use]
    pub fn ladder(&self) -> Ladder {
        Ladder {
            name: self.base.parameters().name().to_owned(),
            records: self.base.slots().len(),
            levels: (1..=self.base.parameters().levels()).rev().collect(),
        }
    }
}

impl<D: Device> Scheme for LtvScheme<'_, D> {
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
        let mut results = self.context.relinearize_all(self.key, &sums, level)?;
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
            .relinearize_all(self.key, &sums.collect::<Vec<_>>(), level)
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
}
