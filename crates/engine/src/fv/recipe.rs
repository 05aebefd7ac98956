use std::io::{Read, Write};

use ringmill_circuit::Circuit;
use ringmill_format::{FormatError, FrameKind, FrameReader, FrameWriter, Put, Take};
use ringmill_fv::Parameters;

use crate::fv::former::FormerResults;
use crate::{InputKey, InputPacking, Plan, PlanError, ProductForm, VariantChoice};

/// Bytes of a recipe in its frame, for a circuit as it is.
const BYTES: u64 = 32 + 1 + 1 + 8 + 8;

/// Bytes that follow for a variant of the circuit.
const VARIANT_BYTES: u64 = 4 + 32;

/// Bytes that follow for totals.
const AGGREGATES_BYTES: u64 = 32;

/// The choices that determine a plan beside circuit and parameters. Whoever has all three makes the same plan,
/// whatever the machine and its calibration: see [`crate::Planner::plan_exactly`]. Only the order of steps
/// is left open, which others need not know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recipe {
    /// The [digest](Circuit::digest) of the circuit as it was given.
    pub circuit: [u8; 32],
    /// The variant of the circuit that is evaluated, if not the circuit as it is: see [`Recipe::evaluated`].
    pub variant: Option<VariantChoice>,
    /// The [digest](ringmill_circuit::Aggregate::digest) of the aggregates of the outputs, if the results are totals.
    pub aggregates: Option<[u8; 32]>,
    /// How products are computed.
    pub form: ProductForm,
    /// Bits that the choice of a lower level may add to the noise at each operation.
    pub tolerance: f64,
    /// The key under which inputs are encrypted.
    pub input_key: InputKey,
    /// log2 of the probability that any output of a batch is wrong.
    pub log2_failure: f64,
    /// Whether the noise of outputs is drowned before they are returned: see [`Plan::log2_flood`].
    pub flooding: bool,
    /// How private inputs come in ciphertexts.
    pub packing: InputPacking,
    /// The results of another plan that the private inputs are, if they are not encrypted for this one.
    pub former: Option<FormerResults>,
    /// Levels of products that results can bear in plans that go on with them.
    pub further: u32,
    /// Whether four records share each slot.
    pub shared: bool,
}

/// Bits of the byte of choices: for inputs encrypted with the secret key, for flooding, two for packing, for inputs that
/// are results of another plan, for results that another plan goes on with, for totals, and for records that share slots.
const SECRET: u8 = 1;
const FLOODING: u8 = 2;
const PACKING: u8 = 3 << 2;
const FORMER: u8 = 1 << 4;
const FURTHER: u8 = 1 << 5;
const TOTALS: u8 = 1 << 6;
const SHARED: u8 = 1 << 7;

/// Bytes of the levels that results can bear.
const FURTHER_BYTES: u64 = 4;

/// Levels beyond which there is no ring.
const MOST_FURTHER: u32 = 1000;

impl Recipe {
    /// Checks that this circuit is the one that is evaluated: the variant, if the recipe names one.
    ///
    /// # Errors
    /// [`PlanError::OtherCircuit`].
    pub fn check(&self, circuit: &Circuit) -> Result<(), PlanError> {
        let evaluated = self.variant.map_or(self.circuit, |variant| variant.digest);
        if evaluated == circuit.digest() {
            Ok(())
        } else {
            Err(PlanError::OtherCircuit)
        }
    }

    /// Writes the recipe as a frame that belongs to these parameters.
    ///
    /// # Errors
    /// [`FormatError::Io`].
    pub fn write(&self, out: impl Write, parameters: &Parameters) -> Result<(), FormatError> {
        let bytes = BYTES
            + self.variant.map_or(0, |_| VARIANT_BYTES)
            + self.aggregates.map_or(0, |_| AGGREGATES_BYTES)
            + self.former.map_or(0, |_| FormerResults::BYTES)
            + if self.further > 0 { FURTHER_BYTES } else { 0 };
        let mut frame = FrameWriter::new(out, FrameKind::PLAN, parameters.hash(), bytes)?;
        frame.put_bytes(&self.circuit)?;
        frame.put_u8(match self.form {
            ProductForm::Bfv => 0,
            ProductForm::Bgv => 1,
        })?;
        let secret = if self.input_key == InputKey::Secret {
            SECRET
        } else {
            0
        };
        let flooding = if self.flooding { FLOODING } else { 0 };
        let packing = match self.packing {
            InputPacking::Separate => 0,
            InputPacking::Slots => 1,
            InputPacking::Broadcast => 2,
        };
        let former = if self.former.is_some() { FORMER } else { 0 };
        let further = if self.further > 0 { FURTHER } else { 0 };
        let totals = if self.aggregates.is_some() { TOTALS } else { 0 };
        let shared = if self.shared { SHARED } else { 0 };
        frame.put_u8(secret | flooding | packing << 2 | former | further | totals | shared)?;
        frame.put_f64(self.tolerance)?;
        frame.put_f64(self.log2_failure)?;
        if let Some(variant) = self.variant {
            frame.put_u32(variant.depth)?;
            frame.put_bytes(&variant.digest)?;
        }
        if let Some(aggregates) = self.aggregates {
            frame.put_bytes(&aggregates)?;
        }
        if let Some(former) = &self.former {
            former.put(&mut frame)?;
        }
        if self.further > 0 {
            frame.put_u32(self.further)?;
        }
        frame.finish()?;
        Ok(())
    }

    /// Reads a recipe for these parameters, up to the end of the frame.
    ///
    /// # Errors
    /// [`FormatError`]: a damaged frame, one of another kind, of other parameters or with values that no
    /// plan has.
    pub fn read(input: impl Read, parameters: &Parameters) -> Result<Self, FormatError> {
        let most = BYTES + VARIANT_BYTES + AGGREGATES_BYTES + FormerResults::BYTES + FURTHER_BYTES;
        let mut frame = FrameReader::expect(input, FrameKind::PLAN, most)?;
        if frame.header().parameters != *parameters.hash() {
            return Err(bad("the plan's parameters", "they are not those before it"));
        }
        let mut recipe = Self {
            circuit: frame.take_array()?,
            variant: None,
            aggregates: None,
            form: match frame.take_u8()? {
                0 => ProductForm::Bfv,
                1 => ProductForm::Bgv,
                _ => return Err(bad("form", "unknown choice")),
            },
            input_key: InputKey::Public,
            flooding: false,
            packing: InputPacking::Separate,
            former: None,
            further: 0,
            shared: false,
            tolerance: 0.0,
            log2_failure: 0.0,
        };
        let choices = frame.take_u8()?;
        if choices & SECRET != 0 {
            recipe.input_key = InputKey::Secret;
        }
        recipe.flooding = choices & FLOODING != 0;
        recipe.shared = choices & SHARED != 0;
        recipe.packing = match (choices & PACKING) >> 2 {
            0 => InputPacking::Separate,
            1 => InputPacking::Slots,
            2 => InputPacking::Broadcast,
            _ => return Err(bad("choices of inputs", "unknown choice")),
        };
        recipe.tolerance = frame.take_f64("tolerance")?;
        recipe.log2_failure = frame.take_f64("failure")?;
        let has = |choice, bytes| if choices & choice == 0 { 0 } else { bytes };
        let stages = has(FORMER, FormerResults::BYTES) + has(FURTHER, FURTHER_BYTES);
        // Files of programs that knew no variants have none, as do those for circuits as they are.
        if frame.left() > stages + has(TOTALS, AGGREGATES_BYTES) {
            recipe.variant = Some(VariantChoice {
                depth: frame.take_u32()?,
                digest: frame.take_array()?,
            });
        }
        if choices & TOTALS != 0 {
            recipe.aggregates = Some(frame.take_array()?);
        }
        if choices & FORMER != 0 {
            recipe.former = Some(FormerResults::take(&mut frame, parameters.levels())?);
        }
        if choices & FURTHER != 0 {
            recipe.further = frame.take_u32()?;
            if !(1..=MOST_FURTHER).contains(&recipe.further) {
                return Err(bad("levels that results bear", "none, or more than there can be"));
            }
        }
        frame.finish()?;
        if stages > 0 && recipe.form == ProductForm::Bgv {
            return Err(bad("form", "of BGV, where jobs go on with results of others"));
        }
        if recipe.shared
            && (choices & (TOTALS | FORMER | FURTHER) != 0 || recipe.packing == InputPacking::Slots)
        {
            return Err(bad(
                "choices",
                "of records that share slots in a plan where they cannot",
            ));
        }
        if recipe.tolerance >= 0.0 && recipe.log2_failure < 0.0 {
            return Ok(recipe);
        }
        Err(bad(
            "tolerance or failure",
            "negative where it cannot be, or not where it must",
        ))
    }
}

fn bad(field: &'static str, problem: &str) -> FormatError {
    FormatError::BadValue {
        field,
        problem: problem.to_owned(),
    }
}

impl Plan {
    /// What, with its circuit and parameters, makes the same plan elsewhere.
    #[must_use]
    pub fn recipe(&self) -> &Recipe {
        &self.recipe
    }
}
