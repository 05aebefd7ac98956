use ringmill_arith::sampling::{Seed, Stream};
use ringmill_device::Device;
use ringmill_ring::Domain;

use super::{Ciphertext, Context, NoiseModel, NtruError, Parameters, PreparedOperand, Scheme};

/// Keeps [`NtruScheme`] to this crate, because other crates cannot name it.
pub trait Sealed {}

/// The difference between the schemes over NTRU rings; everything else is written once over this trait.
///
/// Implemented by [`Yashe`](crate::yashe::Yashe) and [`Ltv`](crate::ltv::Ltv), types without values: contexts,
/// keys and ciphertexts have one of them as a parameter, so that those of one scheme cannot be taken for the
/// other's:
///
/// ```compile_fail,E0308
/// # use ringmill_cpu::CpuDevice;
/// # use ringmill_schemes::{ltv, ntru::NtruError, yashe};
/// fn level_one(context: &ltv::Context<CpuDevice>, a: &yashe::Ciphertext<CpuDevice>) -> Result<(), NtruError> {
///     context.switch(a, 1).map(|_| ())
/// }
/// ```
pub trait NtruScheme: Sealed + Sized + Send + Sync + 'static {
    /// The scheme as parameters and their files name it.
    const SCHEME: Scheme;
    /// The domain in which ciphertexts rest.
    const DOMAIN: Domain;
    /// How many products it is worth relinearizing together ([`ringmill_engine::Scheme::together`]).
    const TOGETHER: usize;
    /// Tables that are computed from the parameters once.
    type Tables: Send + Sync;
    /// How a device keeps the elements of an evaluation key.
    type Elements<D: Device>: Send + Sync;

    /// Makes the tables.
    ///
    /// # Errors
    /// [`NtruError::BadParameter`] if the auxiliary primes are too few.
    fn tables(parameters: &Parameters) -> Result<Self::Tables, NtruError>;

    /// The randomness of an encryption, from its seed.
    fn stream(seed: &Seed) -> Stream;

    /// Makes a ciphertext ready for products.
    ///
    /// # Errors
    /// If the device fails; so everywhere below.
    fn factor<D: Device>(
        context: &Context<Self, D>,
        a: &Ciphertext<Self, D>,
    ) -> Result<PreparedOperand<Self, D>, NtruError>;

    /// The sum of products of factors of a level: what f^2 decrypts, in coefficient domain.
    fn multiply<D: Device>(
        context: &Context<Self, D>,
        pairs: &[(&D::Poly, &D::Poly)],
        level: usize,
    ) -> Result<D::Poly, NtruError>;

    /// An evaluation key to which elements are to be added.
    fn no_elements<D: Device>(context: &Context<Self, D>) -> Self::Elements<D>;

    /// Adds the next element: over the pool, in evaluation domain.
    fn push_element<D: Device>(
        context: &Context<Self, D>,
        elements: &mut Self::Elements<D>,
        element: D::Poly,
    ) -> Result<(), NtruError>;

    /// Element number k as it was added.
    fn element<D: Device>(
        context: &Context<Self, D>,
        elements: &Self::Elements<D>,
        k: usize,
    ) -> Result<D::Poly, NtruError>;

    /// Brings products of one level from f^2 back to f, in coefficient domain.
    fn switch_keys<D: Device>(
        context: &Context<Self, D>,
        elements: &Self::Elements<D>,
        products: &[&D::Poly],
    ) -> Result<Vec<D::Poly>, NtruError>;

    /// The products one after the other for which the levels suffice.
    ///
    /// # Errors
    /// None for checked parameters.
    fn depth(noise: &NoiseModel<Self>) -> Result<usize, NtruError>;
}
