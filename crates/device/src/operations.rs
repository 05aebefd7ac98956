//! The operations of the contract as the table of a macro. Wherever the table is used, the compiler compares each
//! signature with that of [`Device`](crate::Device).

/// Writes operations with a macro: `operations!(name, [tokens]: upload, wipe);` calls
/// `name! { [tokens] fn upload(basis: &Basis, domain: Domain, words: &[u64]) -> Result<..> }` and so on, each with the
/// operation's signature without `&self`.
///
/// [`delegate!`](crate::delegate) and [`provide!`](crate::provide) are made of it. A device that does the same thing
/// around many operations can use it too.
#[macro_export]
macro_rules! operations {
    (@ring $with:path, $of:tt) => {
        $with! { $of fn ring() -> &$crate::Ring }
    };
    (@name $with:path, $of:tt) => {
        $with! { $of fn name() -> String }
    };
    (@memory $with:path, $of:tt) => {
        $with! { $of fn memory() -> Option<u64> }
    };
    (@narrow_transform_time $with:path, $of:tt) => {
        $with! { $of fn narrow_transform_time() -> f64 }
    };
    (@basis $with:path, $of:tt) => {
        $with! { $of fn basis<'a>(a: &'a Self::Poly) -> &'a $crate::Basis }
    };
    (@domain $with:path, $of:tt) => {
        $with! { $of fn domain(a: &Self::Poly) -> $crate::Domain }
    };
    (@upload $with:path, $of:tt) => {
        $with! {
            $of fn upload(basis: &$crate::Basis, domain: $crate::Domain, words: &[u64])
                -> Result<Self::Poly, $crate::DeviceError>
        }
    };
    (@download $with:path, $of:tt) => {
        $with! { $of fn download(a: &Self::Poly) -> Result<Vec<u64>, $crate::DeviceError> }
    };
    (@copy $with:path, $of:tt) => {
        $with! { $of fn copy(a: &Self::Poly) -> Result<Self::Poly, $crate::DeviceError> }
    };
    (@wipe $with:path, $of:tt) => {
        $with! { $of fn wipe(a: Self::Poly) -> () }
    };
    (@finish $with:path, $of:tt) => {
        $with! { $of fn finish() -> Result<(), $crate::DeviceError> }
    };
    (@hint_idle $with:path, $of:tt) => {
        $with! { $of fn hint_idle(a: &Self::Poly) -> () }
    };
    (@prefetch $with:path, $of:tt) => {
        $with! { $of fn prefetch(a: &Self::Poly) -> () }
    };
    (@release $with:path, $of:tt) => {
        $with! { $of fn release() -> () }
    };
    (@restrict $with:path, $of:tt) => {
        $with! {
            $of fn restrict(a: &Self::Poly, to: &$crate::Basis)
                -> Result<Self::Poly, $crate::DeviceError>
        }
    };
    (@concat_limbs $with:path, $of:tt) => {
        $with! { $of fn concat_limbs(parts: &[&Self::Poly]) -> Result<Self::Poly, $crate::DeviceError> }
    };
    (@transform $with:path, $of:tt) => {
        $with! {
            $of fn transform(a: Self::Poly, to: $crate::Domain)
                -> Result<Self::Poly, $crate::DeviceError>
        }
    };
    (@sum $with:path, $of:tt) => {
        $with! { $of fn sum(terms: &[&Self::Poly]) -> Result<Self::Poly, $crate::DeviceError> }
    };
    (@sub $with:path, $of:tt) => {
        $with! { $of fn sub(a: &Self::Poly, b: &Self::Poly) -> Result<Self::Poly, $crate::DeviceError> }
    };
    (@negate $with:path, $of:tt) => {
        $with! { $of fn negate(a: &Self::Poly) -> Result<Self::Poly, $crate::DeviceError> }
    };
    (@inner_product $with:path, $of:tt) => {
        $with! {
            $of fn inner_product(pairs: &[(&Self::Poly, &Self::Poly)], to: $crate::Domain)
                -> Result<Self::Poly, $crate::DeviceError>
        }
    };
    (@inner_products $with:path, $of:tt) => {
        $with! {
            $of fn inner_products(sums: &[Vec<(&Self::Poly, &Self::Poly)>], multiplier: u64, to: $crate::Domain)
                -> Result<Vec<Self::Poly>, $crate::DeviceError>
        }
    };
    (@multiply_fixed $with:path, $of:tt) => {
        $with! {
            $of fn multiply_fixed(batch: Vec<Self::Poly>, factors: &[&Self::Poly])
                -> Result<Vec<Vec<Self::Poly>>, $crate::DeviceError>
        }
    };
    (@automorphism $with:path, $of:tt) => {
        $with! {
            $of fn automorphism(a: &Self::Poly, exponent: u64)
                -> Result<Self::Poly, $crate::DeviceError>
        }
    };
    (@lift $with:path, $of:tt) => {
        $with! {
            $of fn lift(a: &Self::Poly, extension: &$crate::Basis, to: $crate::Domain)
                -> Result<Self::Poly, $crate::DeviceError>
        }
    };
    (@lifts $with:path, $of:tt) => {
        $with! {
            $of fn lifts(polys: &[&Self::Poly], extension: &$crate::Basis, to: $crate::Domain)
                -> Result<Vec<Self::Poly>, $crate::DeviceError>
        }
    };
    (@scale $with:path, $of:tt) => {
        $with! {
            $of fn scale(c: &Self::Poly, t: u64, keep: usize)
                -> Result<Self::Poly, $crate::DeviceError>
        }
    };
    (@rescale $with:path, $of:tt) => {
        $with! {
            $of fn rescale(a: &Self::Poly, to: &$crate::Basis, domain: $crate::Domain)
                -> Result<Self::Poly, $crate::DeviceError>
        }
    };
    (@decompose $with:path, $of:tt) => {
        $with! {
            $of fn decompose(a: &Self::Poly, digits: &$crate::Digits)
                -> Result<Vec<Self::Poly>, $crate::DeviceError>
        }
    };
    (@decompose_base_two $with:path, $of:tt) => {
        $with! {
            $of fn decompose_base_two(a: &Self::Poly, bits: u32, over: &$crate::Basis)
                -> Result<Vec<Self::Poly>, $crate::DeviceError>
        }
    };
    (@key_switch_grouped $with:path, $of:tt) => {
        $with! {
            $of fn key_switch_grouped(
                batch: &[&Self::Poly],
                key: &$crate::GroupedKey<Self::Poly>,
                domain: $crate::Domain
            ) -> Result<Vec<Self::Poly>, $crate::DeviceError>
        }
    };
    (@extend_by_p $with:path, $of:tt) => {
        $with! {
            $of fn extend_by_p(a: &Self::Poly, digits: &$crate::Digits)
                -> Result<Self::Poly, $crate::DeviceError>
        }
    };
    (@key_switch $with:path, $of:tt) => {
        $with! {
            $of fn key_switch(
                a: &Self::Poly,
                addends: &[$crate::Pair<&Self::Poly>],
                digits: &$crate::Digits,
                key: &$crate::SwitchingKey<Self::Poly>,
                to: &$crate::Basis,
                domain: $crate::Domain
            ) -> Result<$crate::Pair<Self::Poly>, $crate::DeviceError>
        }
    };
    (@relinearize $with:path, $of:tt) => {
        $with! {
            $of fn relinearize(
                tensor: &$crate::Tensor<'_, Self::Poly>,
                addends: &[$crate::Pair<&Self::Poly>],
                digits: &$crate::Digits,
                key: &$crate::SwitchingKey<Self::Poly>,
                to: &$crate::Basis,
                domain: $crate::Domain
            ) -> Result<$crate::Pair<Self::Poly>, $crate::DeviceError>
        }
    };
    (@rotate $with:path, $of:tt) => {
        $with! {
            $of fn rotate(
                first: &Self::Poly,
                parts: &[Self::Poly],
                digits: &$crate::Digits,
                key: &$crate::SwitchingKey<Self::Poly>,
                exponent: u64
            ) -> Result<$crate::Pair<Self::Poly>, $crate::DeviceError>
        }
    };
    (@rotated_sums $with:path, $of:tt) => {
        $with! {
            $of fn rotated_sums(
                operands: &[$crate::Rotatable<'_, Self::Poly>],
                digits: &$crate::Digits,
                keys: &[(u64, &$crate::SwitchingKey<Self::Poly>)],
                sums: &[Vec<$crate::RotatedTerm<'_, Self::Poly>>]
            ) -> Result<Vec<$crate::Pair<Self::Poly>>, $crate::DeviceError>
        }
    };
    ($with:path, $of:tt: $($operation:ident),+ $(,)?) => {
        $($crate::operations! { @$operation $with, $of })+
    };
}
