//! The operations that a scheme must offer so that circuits can be evaluated over it.

use ringmill_circuit::WireType;

use crate::{ClearValue, Side};

/// How values of a circuit's wires become plaintexts of a scheme, and back: all that the client needs
/// beside keys.
pub trait Encoding: Sync {
    /// The type of what is encrypted.
    type Plaintext: Send + Sync;
    /// The scheme's errors.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Name of the parameter set.
    fn name(&self) -> &str;

    /// Records in a batch.
    fn records(&self) -> usize;

    /// The plaintext of one wire for all records of a batch; records that are missing count as 0. A
    /// scheme of bits takes [`ClearValue::bits`] of it.
    ///
    /// # Errors
    /// If the scheme has no such values, or too few slots.
    fn encode(&self, value: &ClearValue) -> Result<Self::Plaintext, Self::Error>;

    /// One wire that carries values of a kind, for all records of a batch. A scheme of bits makes it by
    /// [`ClearValue::from_bits`].
    ///
    /// # Errors
    /// If the plaintext is not of this scheme.
    fn decode(&self, kind: WireType, plaintext: &Self::Plaintext) -> Result<ClearValue, Self::Error>;
}

/// A levelled scheme, with the keys for evaluation, of which [`execute`](crate::execute()) evaluates
/// circuits: sums and products, mod 2, of all slots at once.
///
/// Levels count from 1; the higher, the larger the modulus, and what rests at a level can be switched to any
/// lower one. Operands of one operation are of one level: schedules say when to switch, no operation does
/// it by itself.
///
/// A product has three steps, each timed by its own: a ciphertext is made a [`Scheme::PreparedOperand`] once for all
/// the products it is in; the products of a sum are multiplied and added up; and the sum is relinearized, with
/// further terms and perhaps a switch to a lower level, which a scheme may do with one rounding.
pub trait Scheme: Sync {
    /// The type of values between operations.
    type Ciphertext: Send + Sync;
    /// A ciphertext made ready to be multiplied: lifted, or transformed.
    type PreparedOperand: Send + Sync;
    /// A sum of products that is not relinearized yet; it may refer to its factors.
    type Product<'a>: Send
    where
        Self: 'a;
    /// The scheme's errors.
    type Error: std::error::Error + Send + Sync + 'static;
    /// How values become plaintexts.
    type Encoding: Encoding<Error = Self::Error>;

    /// How values become plaintexts.
    fn encoding(&self) -> &Self::Encoding;

    /// The level of a ciphertext.
    fn level(&self, a: &Self::Ciphertext) -> usize;

    /// Whether an input, of this level or a higher one, can be used at a level as it is; otherwise it is
    /// brought there by [`Scheme::switch`].
    fn is_ready(&self, input: &Self::Ciphertext, level: usize) -> bool {
        self.level(input) == level
    }

    /// Makes a ciphertext a factor of its level, for one side of products: the one that the schedule names
    /// ([`Schedule::sides`](crate::Schedule::sides)).
    ///
    /// # Errors
    /// If the scheme or its device refuses; so everywhere below.
    fn factor(&self, a: &Self::Ciphertext, side: Side) -> Result<Self::PreparedOperand, Self::Error>;

    /// The sum of one or more products, all factors of one level.
    ///
    /// # Errors
    /// If levels differ.
    fn multiply<'a>(
        &'a self,
        pairs: &[(&'a Self::PreparedOperand, &'a Self::PreparedOperand)],
    ) -> Result<Self::Product<'a>, Self::Error>;

    /// Relinearizes, adds ciphertexts of the factors' level, and switches the sum to `level`, which is that
    /// level or a lower one.
    ///
    /// # Errors
    /// If levels differ, or `level` is higher.
    fn relinearize(
        &self,
        product: Self::Product<'_>,
        terms: &[&Self::Ciphertext],
        level: usize,
    ) -> Result<Self::Ciphertext, Self::Error>;

    /// How many products it is worth relinearizing together: more than 1 where they share the reading
    /// of the key.
    fn together(&self) -> usize {
        1
    }

    /// Relinearizes at most [`Scheme::together`] products of one level, as [`Scheme::relinearize`] does one
    /// after the other, and brings all to `level`; the results in order.
    ///
    /// # Errors
    /// As for one.
    fn relinearize_all(
        &self,
        products: Vec<ProductSum<'_, Self>>,
        level: usize,
    ) -> Result<Vec<Self::Ciphertext>, Self::Error> {
        let one = |sum: ProductSum<'_, Self>| self.relinearize(sum.product, &sum.terms, level);
        products.into_iter().map(one).collect()
    }

    /// The sum of one or more ciphertexts of one level, plus 1 in every slot if `complement`.
    ///
    /// # Errors
    /// If levels differ.
    fn sum(&self, terms: &[&Self::Ciphertext], complement: bool) -> Result<Self::Ciphertext, Self::Error>;

    /// A plaintext as a ciphertext of a level, which hides nothing and has no noise: a term of sums.
    ///
    /// # Errors
    /// If it is of another scheme.
    fn trivial(&self, plaintext: &PlaintextOf<Self>, level: usize) -> Result<Self::Ciphertext, Self::Error>;

    /// Multiplies by a plaintext, at the same level.
    ///
    /// # Errors
    /// If it is of another scheme.
    fn multiply_plain(
        &self,
        a: &Self::Ciphertext,
        plaintext: &PlaintextOf<Self>,
    ) -> Result<Self::Ciphertext, Self::Error>;

    /// Brings a ciphertext to a level, which is its own or a lower one.
    ///
    /// # Errors
    /// If the level is higher.
    fn switch(&self, a: &Self::Ciphertext, level: usize) -> Result<Self::Ciphertext, Self::Error>;

    /// Waits until all that was asked for is done: operations may return before, and fail only then.
    ///
    /// # Errors
    /// If an earlier operation failed.
    fn finish(&self) -> Result<(), Self::Error> {
        Ok(())
    }

    /// Says that a ciphertext will not be used for a while: where memory is short it may be put elsewhere before
    /// others. It can be used all the same.
    fn hint_idle(&self, _a: &Self::Ciphertext) {}

    /// Says that a ciphertext that was at rest will be used soon: it may be brought back ahead of time.
    fn prefetch(&self, _a: &Self::Ciphertext) {}
}

/// The plaintexts of a scheme.
pub type PlaintextOf<S> = <<S as Scheme>::Encoding as Encoding>::Plaintext;

/// The operand of a relinearization: a sum of products, and ciphertexts of their level to be added.
pub struct ProductSum<'a, S: Scheme + ?Sized + 'a> {
    /// The sum of products.
    pub product: S::Product<'a>,
    /// The further terms.
    pub terms: Vec<&'a S::Ciphertext>,
}

/// The levels of a scheme for [`DepthPlanner`](crate::DepthPlanner): how far down each product leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LevelChain {
    /// Name of the parameter set: [`Encoding::name`].
    pub name: String,
    /// Records in a batch: [`Encoding::records`].
    pub records: usize,
    /// The sides for which [`Scheme::factor`] makes the two factors of a product ready.
    pub sides: [Side; 2],
    /// The levels of the chain, the highest first; equal or falling. Products of factors that rest at one place
    /// are brought to the next, and outputs rest at the last: a circuit that is less deep uses the end only.
    /// Where two places have the same level there is no switch between them.
    ///
    /// What is below a place must bear sums of all that may rest there: products made there, values switched
    /// from above, and inputs encrypted there.
    pub levels: Vec<usize>,
}
