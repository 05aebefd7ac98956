//! The operations on secrets.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

use ringmill_arith::Simd;
use ringmill_arith::sampling::{Gaussian, Seed, Stream, signs, ternary};
use ringmill_cpu::CpuDevice;
use ringmill_fv::{Ciphertext, Context, FvError, Parameters, Plaintext, SecretKey};

/// The secret of the class whose secret is always the same.
pub const FIXED: [u8; 32] = [7; 32];

/// The parameters of encryptions: one narrow prime of x^n + 1, wide primes of x^n + 1, wide primes of a Fermat ring.
const PRESETS: [&str; 3] = ["n1024-q26", "n4096-t65537", "fv128-n4096"];

/// Samples and coefficients at a time.
const SAMPLES: usize = 4096;

/// Does something with the secret that it was prepared for.
pub type Run<'a> = Box<dyn FnOnce() + 'a>;

/// Marks the bytes of a secret.
pub type Hide<'a> = &'a dyn Fn(&[u8]);

/// An operation, and how it is prepared for a secret. Of equal secrets there are several copies; the number chooses.
pub struct Operation<'a> {
    pub name: String,
    #[allow(clippy::type_complexity)]
    pub prepare: Box<dyn Fn(&[u8; 32], usize) -> Run<'a> + 'a>,
}

impl<'a> Operation<'a> {
    fn new(name: impl Into<String>, prepare: impl Fn(&[u8; 32], usize) -> Run<'a> + 'a) -> Self {
        Self {
            name: name.into(),
            prepare: Box::new(prepare),
        }
    }
}

/// All operations with a kernel. Decryption chooses among `keys` keys of a class.
///
/// # Errors
/// If parameters cannot be had.
pub fn operations(kernel: Simd, keys: u8, hide: Hide<'_>) -> Result<Vec<Operation<'_>>, FvError> {
    let mut operations = vec![
        sampling("ternary", hide, |stream| {
            ternary(stream, black_box(&mut vec![0; SAMPLES]));
        }),
        sampling("signs", hide, |stream| {
            signs(stream, black_box(&mut vec![0; SAMPLES]));
        }),
    ];
    for sigma in [3.2, 19.4] {
        let gaussian = Gaussian::with_kernel(sigma, kernel)?;
        operations.push(sampling(&format!("gaussian {sigma}"), hide, move |stream| {
            gaussian.sample(stream, black_box(&mut vec![0; SAMPLES]));
        }));
    }
    for preset in PRESETS {
        operations.extend(encryption(preset, kernel, keys, hide)?);
    }
    Ok(operations)
}

/// Draws from the stream of a secret seed.
fn sampling<'a>(name: &str, hide: Hide<'a>, draw: impl Fn(&mut Stream) + 'a) -> Operation<'a> {
    let draw = Rc::new(draw);
    Operation::new(name, move |secret, _| {
        let seed = hidden_seed(*secret, hide);
        let draw = Rc::clone(&draw);
        Box::new(move || draw(&mut Stream::new(&seed)))
    })
}

fn hidden_seed(secret: [u8; 32], hide: Hide<'_>) -> Box<Seed> {
    let seed = Box::new(Seed::from_bytes(secret));
    hide(seed.as_bytes());
    seed
}

/// A key and a ciphertext for it.
type Locked = (SecretKey<CpuDevice>, Ciphertext<CpuDevice>);

/// A context and its keys.
struct Party {
    context: Context<CpuDevice>,
    /// Copies of one key, and different ones.
    same: Vec<Locked>,
    others: Vec<Locked>,
}

impl Party {
    fn new(preset: &str, kernel: Simd, keys: u8, hide: Hide<'_>) -> Result<Self, FvError> {
        let parameters = Parameters::preset(preset)?;
        let device = Arc::new(CpuDevice::new(parameters.ring(), kernel));
        let context = Context::new(parameters, device)?;
        let locked = |secret: [u8; 32]| -> Result<Locked, FvError> {
            let seed = Seed::from_bytes(secret);
            // The same key twice, so that the ciphertext is public and the key that decrypts it is hidden.
            let known = context.generate_secret_key(&seed)?;
            let plaintext = plaintext(&context, &secret)?;
            let level = context.parameters().levels();
            let ciphertext =
                context.encrypt_with_secret(&known, &plaintext, level, &seed.derive("test", 0))?;
            Ok((
                context.generate_secret_key(&hidden_seed(secret, hide))?,
                ciphertext,
            ))
        };
        // By turns, so that neither class has better places in memory.
        let (mut same, mut others) = (Vec::new(), Vec::new());
        for i in 0..keys {
            same.push(locked(FIXED)?);
            others.push(locked([100 + i; 32])?);
        }
        Ok(Self {
            context,
            same,
            others,
        })
    }

    /// One of the keys of a secret's class.
    fn locked(&self, secret: &[u8; 32], copy: usize) -> &Locked {
        let keys = if *secret == FIXED {
            &self.same
        } else {
            &self.others
        };
        &keys[copy % keys.len()]
    }
}

/// Coefficients that follow from a secret.
fn plaintext(context: &Context<CpuDevice>, secret: &[u8; 32]) -> Result<Plaintext, FvError> {
    let mut words = vec![0; context.parameters().n()];
    let t = context.parameters().t();
    Stream::new(&Seed::from_bytes(*secret).derive("plaintext", 0)).fill_words(&mut words);
    words.iter_mut().for_each(|word| *word %= t);
    Ok(Plaintext::new(words, t)?)
}

/// Encryption under both keys and decryption with a set of parameters.
fn encryption<'a>(
    preset: &str,
    kernel: Simd,
    keys: u8,
    hide: Hide<'a>,
) -> Result<[Operation<'a>; 3], FvError> {
    let party = Rc::new(Party::new(preset, kernel, keys, hide)?);
    let level = party.context.parameters().levels();
    let seed = Seed::from_bytes([1; 32]);
    let known = party.context.generate_secret_key(&seed)?;
    let public = Rc::new(
        party
            .context
            .generate_public_key(&known, &seed.derive("test", 1))?,
    );
    let hidden = move |party: &Party, secret: &[u8; 32]| {
        let plaintext = plaintext(&party.context, secret).expect("coefficients below t");
        for word in plaintext.coefficients() {
            // SAFETY: the bytes of a word.
            hide(unsafe { std::slice::from_raw_parts(std::ptr::from_ref(word).cast(), 8) });
        }
        (plaintext, hidden_seed(*secret, hide))
    };
    let with_public = {
        let party = Rc::clone(&party);
        Operation::new(format!("{preset} encrypt"), move |secret, _| {
            let (plaintext, seed) = hidden(&party, secret);
            let (party, public) = (Rc::clone(&party), Rc::clone(&public));
            Box::new(move || {
                let result = party.context.encrypt(&public, &plaintext, level, &seed);
                black_box(result).expect("an encryption");
            })
        })
    };
    let with_secret = {
        let party = Rc::clone(&party);
        Operation::new(format!("{preset} encrypt with secret"), move |secret, copy| {
            let (plaintext, seed) = hidden(&party, secret);
            let (party, secret) = (Rc::clone(&party), *secret);
            Box::new(move || {
                let (key, _) = party.locked(&secret, copy);
                let result = party.context.encrypt_with_secret(key, &plaintext, level, &seed);
                black_box(result).expect("an encryption");
            })
        })
    };
    let decryption = Operation::new(format!("{preset} decrypt"), move |secret, copy| {
        let (party, secret) = (Rc::clone(&party), *secret);
        Box::new(move || {
            let (key, ciphertext) = party.locked(&secret, copy);
            black_box(party.context.decrypt(key, ciphertext)).expect("a plaintext");
        })
    });
    Ok([with_public, with_secret, decryption])
}
