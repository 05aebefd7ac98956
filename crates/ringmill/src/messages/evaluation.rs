//! Programs over messages, evaluated without any secret.

use ringmill_device::Device;
use ringmill_expression::{ClearValue, MessageOperation};
use ringmill_fv::{Ciphertext, Context, Domain, FvError, GaloisKey, Plaintext};

use super::MessagePlan;
use super::noise::Step;
use crate::keys::EvaluationKeys;
use crate::{Error, Observer};

/// The value of an operation.
enum Value<D: Device> {
    /// The evaluator sees it.
    Clear(ClearValue),
    /// Of two parts, in coefficient domain.
    Encrypted(Ciphertext<D>),
}

/// Evaluates a program, one row of messages after the other.
pub(super) struct Evaluator<'a, D: Device> {
    context: &'a Context<D>,
    plan: &'a MessagePlan,
    keys: &'a EvaluationKeys<D>,
    observer: &'a dyn Observer,
    last_uses: Vec<usize>,
}

impl<'a, D: Device> Evaluator<'a, D> {
    /// Sees that there is a key for every automorphism.
    pub fn new(
        context: &'a Context<D>,
        plan: &'a MessagePlan,
        keys: &'a EvaluationKeys<D>,
        observer: &'a dyn Observer,
    ) -> Result<Self, Error> {
        let evaluator = Self {
            context,
            plan,
            keys,
            observer,
            last_uses: plan.program().last_uses(),
        };
        for exponent in plan.galois_exponents() {
            evaluator.key(exponent)?;
        }
        Ok(evaluator)
    }

    /// The outputs, of a message for each input: a ciphertext, or numbers in the clear where it is public.
    pub fn row(&self, inputs: Vec<Input<'_, D>>) -> Result<Vec<Ciphertext<D>>, Error> {
        let program = self.plan.program();
        let mut inputs: Vec<Option<Input<'_, D>>> = inputs.into_iter().map(Some).collect();
        let mut values: Vec<Option<Value<D>>> = Vec::with_capacity(program.operations().len());
        for (place, operation) in program.operations().iter().enumerate() {
            if self.observer.cancelled() {
                return Err(Error::Cancelled);
            }
            let value = match operation {
                MessageOperation::Input(input) => {
                    self.input(inputs.get_mut(*input).and_then(Option::take))?
                }
                _ => {
                    let operands = operation.operands().into_iter();
                    let operands =
                        operands.map(|operand| values[operand].as_ref().ok_or(FvError::NoOperands));
                    self.value(place, *operation, &operands.collect::<Result<Vec<_>, _>>()?)?
                }
            };
            values.push(Some(value));
            for operand in operation.operands() {
                if self.last_uses[operand] == place {
                    values[operand] = None;
                }
            }
        }
        let outputs = program.outputs().iter().zip(self.plan.planned_outputs());
        let outputs = outputs.map(|(output, planned)| match &values[output.value] {
            Some(Value::Encrypted(result)) => self.switched(result, planned.level),
            _ => Err(FvError::NoOperands),
        });
        let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
        self.context.device().finish()?;
        Ok(outputs)
    }

    fn input(&self, input: Option<Input<'_, D>>) -> Result<Value<D>, Error> {
        let top = self.context.parameters().levels();
        match input {
            Some(Input::Public(numbers)) => Ok(Value::Clear(self.plan.slots().message(numbers))),
            Some(Input::Encrypted(ciphertext)) if ciphertext.parts() != 2 => {
                Err(FvError::WrongParts(ciphertext.parts()).into())
            }
            Some(Input::Encrypted(ciphertext)) if ciphertext.level() != top => Err(FvError::LevelMismatch {
                expected: top,
                got: ciphertext.level(),
            }
            .into()),
            Some(Input::Encrypted(ciphertext)) => Ok(Value::Encrypted(ciphertext)),
            None => Err(FvError::NoOperands.into()),
        }
    }

    fn value(
        &self,
        place: usize,
        operation: MessageOperation,
        operands: &[&Value<D>],
    ) -> Result<Value<D>, Error> {
        let Some(step) = self.plan.step(place) else {
            let clear = operands.iter().filter_map(|value| match value {
                Value::Clear(value) => Some(value),
                Value::Encrypted(_) => None,
            });
            let clear: Vec<&ClearValue> = clear.collect();
            return Ok(Value::Clear(self.plan.slots().apply(operation, &clear)));
        };
        let (context, level) = (self.context, step.level);
        let result = match (operation, operands) {
            (MessageOperation::Add(..), [Value::Encrypted(a), Value::Encrypted(b)]) => {
                context.add(&self.switched(a, level)?, &self.switched(b, level)?)?
            }
            (MessageOperation::Subtract(..), [Value::Encrypted(a), Value::Encrypted(b)]) => {
                context.sub(&self.switched(a, level)?, &self.switched(b, level)?)?
            }
            (MessageOperation::Multiply(a, b), [Value::Encrypted(x), Value::Encrypted(y)]) => {
                self.product(x, Some(y).filter(|_| a != b), step)?
            }
            (MessageOperation::Negate(_), [Value::Encrypted(a)]) => {
                context.negate(&self.switched(a, level)?)?
            }
            (MessageOperation::Rotate(_, by), [Value::Encrypted(a)]) => {
                self.moved(&self.switched(a, level)?, self.plan.rotation(by), step.to)?
            }
            (MessageOperation::Swap(_), [Value::Encrypted(a)]) => {
                self.moved(&self.switched(a, level)?, self.plan.swap(), step.to)?
            }
            (MessageOperation::Sum(_), [Value::Encrypted(a)]) => {
                self.total(&self.switched(a, level)?, step.to)?
            }
            (_, [Value::Encrypted(a), Value::Clear(b)]) => {
                self.with_clear(operation, &self.switched(a, level)?, b, false)?
            }
            (_, [Value::Clear(a), Value::Encrypted(b)]) => {
                self.with_clear(operation, &self.switched(b, level)?, a, true)?
            }
            _ => return Err(FvError::NoOperands.into()),
        };
        Ok(Value::Encrypted(result))
    }

    /// A product, or without a second factor a square.
    fn product(
        &self,
        a: &Ciphertext<D>,
        b: Option<&Ciphertext<D>>,
        step: &Step,
    ) -> Result<Ciphertext<D>, FvError> {
        let context = self.context;
        let a = self.switched(a, step.level)?;
        let b = b.map(|b| self.switched(b, step.level)).transpose()?;
        let key = self.keys.keys.relinearization();
        context.multiply_relinearize([&a, b.as_ref().unwrap_or(&a)], key, step.to, Domain::Coefficient)
    }

    /// A sum, a difference or a product of a ciphertext and a value in the clear, which may be the first operand.
    fn with_clear(
        &self,
        operation: MessageOperation,
        a: &Ciphertext<D>,
        clear: &ClearValue,
        clear_first: bool,
    ) -> Result<Ciphertext<D>, Error> {
        let context = self.context;
        Ok(match operation {
            MessageOperation::Multiply(..) => context.multiply_plain(a, &self.encoded(clear)?)?,
            MessageOperation::Subtract(..) if clear_first => {
                context.add_plain(&context.negate(a)?, &self.encoded(clear)?)?
            }
            MessageOperation::Subtract(..) => {
                let negative = self.plan.slots().apply(MessageOperation::Negate(0), &[clear]);
                context.add_plain(a, &self.encoded(&negative)?)?
            }
            _ => context.add_plain(a, &self.encoded(clear)?)?,
        })
    }

    /// A constant is the polynomial of degree 0, whose power is the least possible: the plan counts on it.
    fn encoded(&self, value: &ClearValue) -> Result<Plaintext, FvError> {
        match value {
            ClearValue::Constant(number) => {
                let mut coefficients = vec![0; self.context.parameters().n()];
                coefficients[0] = *number;
                Ok(Plaintext::new(coefficients, self.context.parameters().t())?)
            }
            ClearValue::Slots(numbers) => self.context.encode_integers(numbers),
        }
    }

    /// The ciphertext at a level, not above its own.
    fn switched(&self, a: &Ciphertext<D>, level: usize) -> Result<Ciphertext<D>, FvError> {
        self.context.switch_modulus(a, level)
    }

    /// x -> x^k, brought to a level.
    fn moved(&self, a: &Ciphertext<D>, exponent: u64, to: usize) -> Result<Ciphertext<D>, Error> {
        if exponent == 1 {
            return Ok(self.switched(a, to)?);
        }
        let moved = self
            .context
            .rotate(&self.context.decompose(a)?, self.key(exponent)?)?;
        Ok(self
            .context
            .combine(&[(&moved, None)], &[], to, Domain::Coefficient)?)
    }

    /// The sum of all slots, in every slot, brought to a level: the sum of a value and its image, again and again.
    fn total(&self, a: &Ciphertext<D>, to: usize) -> Result<Ciphertext<D>, Error> {
        let exponents = self.plan.sum_exponents();
        let mut sum: Option<Ciphertext<D>> = None;
        for (i, exponent) in exponents.iter().enumerate() {
            let term = sum.as_ref().unwrap_or(a);
            let level = if i + 1 == exponents.len() { to } else { a.level() };
            let moved = self
                .context
                .rotate(&self.context.decompose(term)?, self.key(*exponent)?)?;
            sum = Some(
                self.context
                    .combine(&[(&moved, None)], &[term], level, Domain::Coefficient)?,
            );
        }
        sum.ok_or_else(|| FvError::NoOperands.into())
    }

    fn key(&self, exponent: u64) -> Result<&GaloisKey<D>, Error> {
        let mut keys = self.keys.keys.galois();
        keys.find(|key| key.exponent() == exponent).ok_or_else(|| {
            Error::Usage(format!(
                "the evaluation key has no key for the automorphism x -> x^{exponent}, which the program needs; make \
                 keys for this job file with `ringmill keygen`"
            ))
        })
    }
}

/// A message for an input.
pub(super) enum Input<'a, D: Device> {
    /// In the clear.
    Public(&'a [u64]),
    /// Encrypted, at the highest level.
    Encrypted(Ciphertext<D>),
}
