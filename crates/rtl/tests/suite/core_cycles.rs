//! Cycles of the core itself, beside what its data sheet allows.

use ringmill_rtl::core::{Configuration, MemoryTiming, Simulation, measure};

use crate::core_model::configuration;

fn check(configuration: Configuration, primes: usize) {
    for row in measure::instructions(configuration).unwrap() {
        assert!(row.cycles > 0, "{}", row.name);
        if let Some([cycles, bound]) = row.expected {
            assert!(row.cycles == cycles && cycles <= bound, "{row:?}");
        }
    }
    let overlap = measure::overlap(configuration).unwrap();
    let longest = overlap.units.into_iter().max().unwrap();
    assert!(10 * overlap.cycles <= 11 * longest, "{overlap:?}");
    let sum = measure::ciphertext_sum(configuration, primes, MemoryTiming::ddr4(200)).unwrap();
    assert!(
        sum.limbs == 2 * primes as u64 && sum.vector <= sum.bound,
        "{sum:?}"
    );
    // Two limbs in and one out for each of the sum's, and little else.
    let limbs = 3 * sum.limbs * configuration.limb_bytes();
    assert!((limbs..limbs + limbs / 2).contains(&sum.bytes), "{sum:?}");
}

#[test]
fn instructions_take_what_the_data_sheet_says() {
    check(configuration(), 5);
}

/// HEPCloud's ring and its modulus of 1228 bits.
#[test]
#[ignore = "the machine of full size takes minutes"]
#[cfg(feature = "rtl-full")]
fn the_core_of_full_size_takes_what_the_data_sheet_says() {
    use ringmill_rtl::core::Sizes;
    check(Configuration::new(32768, 16, Sizes::default()).unwrap(), 25);
}

#[test]
fn every_core_of_this_build_is_there() {
    for configuration in Simulation::configurations() {
        assert!(
            Simulation::new(configuration, 0, 0).is_ok(),
            "{}",
            configuration.machine()
        );
    }
}
