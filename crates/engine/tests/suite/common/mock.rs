//! A scheme that encrypts nothing: bits with a level each, refusing what a levelled scheme could not do.

use std::fmt;
use std::sync::Mutex;

use ringmill_circuit::WireType;
use ringmill_engine::{ClearValue, Encoding, LevelChain, ProductSum, Scheme, Side};

/// Records of the mock scheme, not a multiple of 64.
pub const RECORDS: usize = 100;

/// What is wrong with an operation.
#[derive(Debug, PartialEq, Eq)]
pub enum MockError {
    /// Operands of two levels, or a switch upwards.
    Levels(usize, usize),
    /// Rows, or no operands.
    Unfit,
    /// An operation that was asked for earlier.
    Late,
}

impl fmt::Display for MockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the mock scheme refuses this: {self:?}")
    }
}

impl std::error::Error for MockError {}

/// Bits at a level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bits {
    pub bits: Vec<bool>,
    pub level: usize,
}

/// A factor, which is another type than what rests.
pub struct PreparedOperand(Bits);

/// A product before relinearization.
pub struct Product(Bits);

/// The encoding: bits as they are.
pub struct Plain;

/// What the mock scheme was asked or told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// An operation.
    Operation,
    /// To wait.
    Finish,
    /// That these bits will not be used for a while.
    Rest(Bits),
    /// That these bits will be used soon.
    Expect(Bits),
}

/// The scheme, with an account of how many products were relinearized together, and of everything in order.
pub struct Mock {
    pub together: usize,
    /// Products must go down by this many levels at least.
    pub step: usize,
    pub relinearized: Mutex<Vec<usize>>,
    /// The levels at which plaintexts became terms.
    pub trivial: Mutex<Vec<usize>>,
    pub told: Mutex<Vec<Told>>,
    /// The wait that fails, if one does.
    pub fails: Option<usize>,
}

impl Mock {
    pub fn new(together: usize) -> Self {
        Self {
            together,
            step: 1,
            relinearized: Mutex::new(Vec::new()),
            trivial: Mutex::new(Vec::new()),
            told: Mutex::new(Vec::new()),
            fails: None,
        }
    }

    fn note(&self, told: Told) {
        self.told.lock().unwrap().push(told);
    }

    /// How often it was asked to wait.
    pub fn waits(&self) -> usize {
        let told = self.told.lock().unwrap();
        told.iter().filter(|told| **told == Told::Finish).count()
    }
}

/// A chain of the mock scheme.
pub fn level_chain(levels: impl IntoIterator<Item = usize>) -> LevelChain {
    LevelChain {
        name: "mock".to_string(),
        records: RECORDS,
        sides: Side::ALIKE,
        levels: levels.into_iter().collect(),
    }
}

impl Encoding for Plain {
    type Plaintext = Vec<bool>;
    type Error = MockError;

    fn name(&self) -> &str {
        "mock"
    }

    fn records(&self) -> usize {
        RECORDS
    }

    fn encode(&self, value: &ClearValue) -> Result<Vec<bool>, MockError> {
        value.bits(RECORDS).ok_or(MockError::Unfit)
    }

    fn decode(&self, _: WireType, plaintext: &Vec<bool>) -> Result<ClearValue, MockError> {
        Ok(ClearValue::from_bits(plaintext))
    }
}

fn require_level(expected: usize, got: usize) -> Result<(), MockError> {
    if expected == got {
        Ok(())
    } else {
        Err(MockError::Levels(expected, got))
    }
}

/// The sum of bits of one level.
fn xor<'a>(terms: impl IntoIterator<Item = &'a Bits>) -> Result<Bits, MockError> {
    let mut terms = terms.into_iter();
    let mut sum = terms.next().ok_or(MockError::Unfit)?.clone();
    for term in terms {
        require_level(sum.level, term.level)?;
        sum.bits.iter_mut().zip(&term.bits).for_each(|(a, b)| *a ^= b);
    }
    Ok(sum)
}

/// Both, slot by slot.
fn and(a: &Bits, bits: &[bool]) -> Bits {
    let both = a.bits.iter().zip(bits).map(|(a, b)| *a && *b);
    Bits {
        bits: both.collect(),
        level: a.level,
    }
}

impl Scheme for Mock {
    type Ciphertext = Bits;
    type PreparedOperand = PreparedOperand;
    type Product<'a> = Product;
    type Error = MockError;
    type Encoding = Plain;

    fn encoding(&self) -> &Plain {
        &Plain
    }

    fn level(&self, a: &Bits) -> usize {
        a.level
    }

    fn factor(&self, a: &Bits, _: Side) -> Result<PreparedOperand, MockError> {
        Ok(PreparedOperand(a.clone()))
    }

    fn multiply<'a>(
        &'a self,
        pairs: &[(&'a PreparedOperand, &'a PreparedOperand)],
    ) -> Result<Product, MockError> {
        self.note(Told::Operation);
        let products = pairs.iter().map(|(PreparedOperand(a), PreparedOperand(b))| {
            require_level(a.level, b.level)?;
            Ok(and(a, &b.bits))
        });
        let products = products.collect::<Result<Vec<Bits>, MockError>>()?;
        Ok(Product(xor(&products)?))
    }

    fn relinearize(&self, product: Product, terms: &[&Bits], level: usize) -> Result<Bits, MockError> {
        let Product(product) = product;
        if level + self.step > product.level {
            return Err(MockError::Levels(product.level, level));
        }
        self.switch(&xor([&product].into_iter().chain(terms.iter().copied()))?, level)
    }

    fn together(&self) -> usize {
        self.together
    }

    fn relinearize_all(
        &self,
        products: Vec<ProductSum<'_, Self>>,
        level: usize,
    ) -> Result<Vec<Bits>, MockError> {
        self.relinearized.lock().unwrap().push(products.len());
        let one = |sum: ProductSum<'_, Self>| self.relinearize(sum.product, &sum.terms, level);
        products.into_iter().map(one).collect()
    }

    fn sum(&self, terms: &[&Bits], complement: bool) -> Result<Bits, MockError> {
        self.note(Told::Operation);
        let mut sum = xor(terms.iter().copied())?;
        sum.bits.iter_mut().for_each(|bit| *bit ^= complement);
        Ok(sum)
    }

    fn trivial(&self, plaintext: &Vec<bool>, level: usize) -> Result<Bits, MockError> {
        self.note(Told::Operation);
        self.trivial.lock().unwrap().push(level);
        Ok(Bits {
            bits: plaintext.clone(),
            level,
        })
    }

    fn multiply_plain(&self, a: &Bits, plaintext: &Vec<bool>) -> Result<Bits, MockError> {
        Ok(and(a, plaintext))
    }

    fn switch(&self, a: &Bits, level: usize) -> Result<Bits, MockError> {
        self.note(Told::Operation);
        if level == 0 || level > a.level {
            return Err(MockError::Levels(a.level, level));
        }
        Ok(Bits {
            bits: a.bits.clone(),
            level,
        })
    }
    fn finish(&self) -> Result<(), MockError> {
        let before = self.waits();
        self.note(Told::Finish);
        if self.fails == Some(before) {
            Err(MockError::Late)
        } else {
            Ok(())
        }
    }

    fn hint_idle(&self, a: &Bits) {
        self.note(Told::Rest(a.clone()));
    }

    fn prefetch(&self, a: &Bits) {
        self.note(Told::Expect(a.clone()));
    }
}
