use std::io::{Read, Write};

use ringmill_format::{
    FormatError, FrameKind, FrameReader, FrameWriter, OVERHEAD_BYTES, Put, Take, expect_end,
};

use crate::params::{Definition, MAX_AUXILIARY, MAX_LIMBS, MAX_NAME, MAX_SMALL};
use crate::{FvError, KeySwitching, Parameters, RingKind, SecretDistribution};

/// The most bytes of a payload of parameters.
pub const MAX_PARAMETERS_BYTES: u64 = 4096;

/// The payload: everything in the order of the type.
pub(crate) fn encode_definition(definition: &Definition) -> Vec<u8> {
    let mut out = Vec::new();
    // Names are short enough when they are checked.
    out.extend((definition.name.len() as u16).to_le_bytes());
    out.extend(definition.name.as_bytes());
    out.push(match definition.ring {
        RingKind::Fermat => 0,
        RingKind::Negacyclic => 1,
    });
    out.extend((definition.n as u32).to_le_bytes());
    out.extend(definition.t.to_le_bytes());
    for primes in [&definition.q, &definition.special, &definition.auxiliary] {
        out.extend((primes.len() as u32).to_le_bytes());
        out.extend(primes.iter().flat_map(|p| p.to_le_bytes()));
    }
    out.extend((definition.small as u32).to_le_bytes());
    let (kind, value) = match definition.key_switching {
        KeySwitching::Hybrid { digit_limbs } => (0, digit_limbs as u32),
        KeySwitching::BaseTwo { bits } => (1, bits),
        KeySwitching::None => (2, 0),
    };
    out.push(kind);
    out.extend(value.to_le_bytes());
    out.extend(definition.sigma.to_bits().to_le_bytes());
    out.push(match definition.secret {
        SecretDistribution::Ternary => 0,
        SecretDistribution::Signs => 1,
    });
    out.extend(definition.secret_bound.to_bits().to_le_bytes());
    out.push(definition.allow_insecure.into());
    out
}

fn decode_definition(input: &mut impl Read) -> Result<Definition, FormatError> {
    let name = input.take_str("name", MAX_NAME)?;
    let ring = match input.take_u8()? {
        0 => RingKind::Fermat,
        1 => RingKind::Negacyclic,
        other => return Err(unknown("ring", other)),
    };
    let n = input.take_count("n", 1 << 20)?;
    let t = input.take_u64()?;
    let mut primes = |what, most| -> Result<Vec<u64>, FormatError> {
        let count = input.take_count(what, most)?;
        (0..count).map(|_| input.take_u64()).collect()
    };
    let q = primes("the limbs of q", MAX_LIMBS)?;
    let special = primes("the primes of P", MAX_LIMBS)?;
    let auxiliary = primes("the auxiliary primes", MAX_AUXILIARY)?;
    let small = input.take_count("the small primes", MAX_SMALL)?;
    let key_switching = match (input.take_u8()?, input.take_u32()?) {
        (0, digit_limbs) => KeySwitching::Hybrid {
            digit_limbs: digit_limbs as usize,
        },
        (1, bits) => KeySwitching::BaseTwo { bits },
        (2, 0) => KeySwitching::None,
        (other, _) => return Err(unknown("key switching", other)),
    };
    let sigma = input.take_f64("sigma")?;
    let secret = match input.take_u8()? {
        0 => SecretDistribution::Ternary,
        1 => SecretDistribution::Signs,
        other => return Err(unknown("secret", other)),
    };
    Ok(Definition {
        name,
        ring,
        n,
        t,
        q,
        small,
        special,
        auxiliary,
        key_switching,
        sigma,
        secret,
        secret_bound: input.take_f64("secret bound")?,
        allow_insecure: input.take_flag("allow insecure")?,
    })
}

fn unknown(field: &'static str, value: u8) -> FormatError {
    FormatError::BadValue {
        field,
        problem: format!("unknown choice {value}"),
    }
}

impl Parameters {
    /// Bytes that [`Parameters::write`] writes.
    #[must_use]
    pub fn encoded_bytes(&self) -> u64 {
        encode_definition(self.definition()).len() as u64 + OVERHEAD_BYTES
    }

    /// Writes the parameters as a frame.
    ///
    /// # Errors
    /// [`FormatError::Io`].
    pub fn write(&self, out: impl Write) -> Result<(), FvError> {
        let payload = encode_definition(self.definition());
        let mut frame = FrameWriter::new(out, FrameKind::PARAMETERS, self.hash(), payload.len() as u64)?;
        frame.put_bytes(&payload)?;
        frame.finish()?;
        Ok(())
    }

    /// Reads parameters that [`Parameters::write`] wrote, up to the end of the frame.
    ///
    /// Everything is checked as for new ones, security included: it is computed again, and a set below 128
    /// bits is refused unless it was marked as allowed when it was made. [`Parameters::security`] says so
    /// then.
    ///
    /// # Errors
    /// [`FvError::Format`] for a damaged file, [`FvError::ParameterMismatch`] for a wrong hash in it, and
    /// those of [`Parameters::new`].
    pub fn read(input: impl Read) -> Result<Self, FvError> {
        let mut frame = FrameReader::expect(input, FrameKind::PARAMETERS, MAX_PARAMETERS_BYTES)?;
        // Short, so that the checksum can come first: damage is called damage.
        let payload = frame.take_bytes(frame.left() as usize)?;
        let hash = frame.header().parameters;
        frame.finish()?;
        let mut rest = payload.as_slice();
        let definition = decode_definition(&mut rest)?;
        expect_end(&mut rest, "the parameters")?;
        let parameters = Self::from_definition(definition)?;
        parameters.check_hash("the parameter file", &hash)?;
        Ok(parameters)
    }
}

#[cfg(test)]
#[path = "parameters_tests.rs"]
mod tests;
