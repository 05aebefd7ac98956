use ringmill_device::Device;
use ringmill_fv::{
    Ciphertext, Context, FirstFactor, FvError, NoiseModel, Plaintext, Product, RelinearizationKey,
    SecondFactor,
};
use ringmill_ring::Domain;

use super::FvEncoding;
use crate::{Layout, ProductForm, Scheme, Side};

/// FV with its relinearization key; products are computed in one form. Ciphertexts rest in coefficient
/// domain: modulus switching and sums cost least there.
pub struct FvScheme<'a, D: Device> {
    context: &'a Context<D>,
    encoding: FvEncoding<'a, D>,
    form: ProductForm,
    key: &'a RelinearizationKey<D>,
}

/// An FV ciphertext made ready to be multiplied.
pub enum FvPreparedOperand<D: Device> {
    /// For the first factor in the BFV form.
    First(FirstFactor<D>),
    /// For the second.
    Second(SecondFactor<D>),
    /// For the BGV form: in evaluation domain.
    Evaluated(Ciphertext<D>),
}

/// A sum of FV products that is not relinearized.
pub enum FvProduct<'a, D: Device> {
    /// In the BFV form.
    Bfv(Product<'a, D>),
    /// In the BGV form: of three parts.
    Bgv(Ciphertext<D>),
}

impl<'a, D: Device> FvScheme<'a, D> {
    /// Evaluates with a key, records lying in slots as `layout` says.
    #[must_use]
    pub fn new(
        context: &'a Context<D>,
        layout: &'a Layout,
        form: ProductForm,
        key: &'a RelinearizationKey<D>,
    ) -> Self {
        Self {
            context,
            encoding: FvEncoding::new(context, layout),
            form,
            key,
        }
    }
}

impl<'a, D: Device> Scheme for FvScheme<'a, D> {
    type Ciphertext = Ciphertext<D>;
    type PreparedOperand = FvPreparedOperand<D>;
    type Product<'b>
        = FvProduct<'b, D>
    where
        Self: 'b;
    type Error = FvError;
    type Encoding = FvEncoding<'a, D>;

    fn encoding(&self) -> &Self::Encoding {
        &self.encoding
    }

    fn level(&self, a: &Ciphertext<D>) -> usize {
        a.level()
    }

    fn is_ready(&self, input: &Ciphertext<D>, level: usize) -> bool {
        input.level() == level && input.domain(self.context.device()) == Domain::Coefficient
    }

    fn factor(&self, a: &Ciphertext<D>, side: Side) -> Result<FvPreparedOperand<D>, FvError> {
        match side {
            Side::First => Ok(FvPreparedOperand::First(self.context.first_factor(a)?)),
            Side::Second => Ok(FvPreparedOperand::Second(self.context.second_factor(a)?)),
            Side::Either => Ok(FvPreparedOperand::Evaluated(self.context.evaluated(a)?)),
        }
    }

    fn multiply<'b>(
        &'b self,
        pairs: &[(&'b FvPreparedOperand<D>, &'b FvPreparedOperand<D>)],
    ) -> Result<FvProduct<'b, D>, FvError> {
        let (mut factors, mut evaluated) = (Vec::new(), Vec::new());
        for pair in pairs {
            match pair {
                (FvPreparedOperand::First(a), FvPreparedOperand::Second(b)) => factors.push((a, b)),
                (FvPreparedOperand::Evaluated(a), FvPreparedOperand::Evaluated(b)) => evaluated.push((a, b)),
                _ => return Err(FvError::NoOperands),
            }
        }
        match self.form {
            ProductForm::Bfv => Ok(FvProduct::Bfv(self.context.product(&factors)?)),
            ProductForm::Bgv => Ok(FvProduct::Bgv(self.context.multiply_bgv(&evaluated)?)),
        }
    }

    fn relinearize(
        &self,
        product: FvProduct<'_, D>,
        terms: &[&Ciphertext<D>],
        level: usize,
    ) -> Result<Ciphertext<D>, FvError> {
        let (context, key, domain) = (self.context, self.key, Domain::Coefficient);
        match product {
            FvProduct::Bfv(product) => context.relinearize_product(&product, terms, key, level, domain),
            FvProduct::Bgv(product) => context.relinearize(&product, terms, key, level, domain),
        }
    }

    fn sum(&self, terms: &[&Ciphertext<D>], complement: bool) -> Result<Ciphertext<D>, FvError> {
        self.context.sum_with(terms, complement)
    }

    fn trivial(&self, plaintext: &Plaintext, level: usize) -> Result<Ciphertext<D>, FvError> {
        self.context.trivial(plaintext, level)
    }

    fn multiply_plain(&self, a: &Ciphertext<D>, plaintext: &Plaintext) -> Result<Ciphertext<D>, FvError> {
        let parameters = self.context.parameters();
        let power = plaintext.power(parameters.ring(), parameters.t())?;
        let most = NoiseModel::largest_plain_power(parameters);
        if power > most {
            return Err(FvError::HeavyPlaintext {
                times: (power / most).sqrt(),
            });
        }
        self.context.multiply_plain(a, plaintext)
    }

    fn switch(&self, a: &Ciphertext<D>, level: usize) -> Result<Ciphertext<D>, FvError> {
        let switched = self.context.switch_modulus(a, level)?;
        self.context.transform(switched, Domain::Coefficient)
    }

    fn finish(&self) -> Result<(), FvError> {
        Ok(self.context.device().finish()?)
    }

    fn hint_idle(&self, a: &Ciphertext<D>) {
        self.context.hint_idle(a);
    }

    fn prefetch(&self, a: &Ciphertext<D>) {
        self.context.prefetch(a);
    }
}
