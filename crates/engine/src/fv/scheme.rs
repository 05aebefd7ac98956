use ringmill_device::Device;
use ringmill_fv::{Ciphertext, Context, FvError, Lifted, NoiseModel, Plaintext, RelinearizationKey};
use ringmill_ring::{Domain, Rows};

use super::FvEncoding;
use crate::{ProductForm, Scheme};

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
    /// For the BFV form.
    Lifted(Lifted<D>),
    /// For the BGV form: in evaluation domain.
    Evaluated(Ciphertext<D>),
}

impl<'a, D: Device> FvScheme<'a, D> {
    /// Evaluates with a key, records lying in slots as `rows` says.
    #[must_use]
    pub fn new(
        context: &'a Context<D>,
        rows: &'a Rows,
        form: ProductForm,
        key: &'a RelinearizationKey<D>,
    ) -> Self {
        Self {
            context,
            encoding: FvEncoding::new(context, rows),
            form,
            key,
        }
    }
}

impl<'a, D: Device> Scheme for FvScheme<'a, D> {
    type Ciphertext = Ciphertext<D>;
    type PreparedOperand = FvPreparedOperand<D>;
    type Product = Ciphertext<D>;
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

    fn factor(&self, a: &Ciphertext<D>) -> Result<FvPreparedOperand<D>, FvError> {
        match self.form {
            ProductForm::Bfv => Ok(FvPreparedOperand::Lifted(self.context.lift(a)?)),
            ProductForm::Bgv => Ok(FvPreparedOperand::Evaluated(self.context.evaluated(a)?)),
        }
    }

    fn multiply(
        &self,
        pairs: &[(&FvPreparedOperand<D>, &FvPreparedOperand<D>)],
    ) -> Result<Ciphertext<D>, FvError> {
        let (mut lifted, mut evaluated) = (Vec::new(), Vec::new());
        for pair in pairs {
            match pair {
                (FvPreparedOperand::Lifted(a), FvPreparedOperand::Lifted(b)) => lifted.push((a, b)),
                (FvPreparedOperand::Evaluated(a), FvPreparedOperand::Evaluated(b)) => evaluated.push((a, b)),
                _ => return Err(FvError::NoOperands),
            }
        }
        match self.form {
            ProductForm::Bfv => self.context.multiply_sum(&lifted),
            ProductForm::Bgv => self.context.multiply_bgv(&evaluated),
        }
    }

    fn relinearize(
        &self,
        product: Ciphertext<D>,
        terms: &[&Ciphertext<D>],
        level: usize,
    ) -> Result<Ciphertext<D>, FvError> {
        self.context
            .relinearize(&product, terms, self.key, level, Domain::Coefficient)
    }

    fn sum(&self, terms: &[&Ciphertext<D>], complement: bool) -> Result<Ciphertext<D>, FvError> {
        self.context.sum_with(terms, complement)
    }

    fn add_plain(&self, a: &Ciphertext<D>, plaintext: &Plaintext) -> Result<Ciphertext<D>, FvError> {
        self.context.add_plain(a, plaintext)
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
