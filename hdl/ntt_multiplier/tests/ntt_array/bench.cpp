// ntt_array beside butterflies between banks: random slots of every class, which bank of a pair is written with what.

#include <deque>

#include "../ports.h"
#include "../schedule.h"

namespace {

using namespace ringmill;

/// What a slot writes: by bank, where it writes.
struct Outcome {
  bool valid;
  unsigned base;
  std::vector<bool> writes;
  Words words;
};

/// Drives a random slot.
template <class Model>
Outcome drive(Bench<Model>& bench, const Ring& ring, std::uint64_t inverse_radix) {
  const unsigned banks = 2 * ring.units();
  const bool fused = bench.random.chance(30), second = bench.random.chance(50), parity = bench.random.chance(50);
  const bool from_input = !fused && bench.random.chance(30);
  // The input memory is read by the first pass alone.
  const unsigned bit = from_input ? ring.log_n - 1 : static_cast<unsigned>(bench.random.below(ring.log_n));
  const unsigned pair_class = bit % ring.bank_bits();
  Outcome outcome{bench.random.chance(80), static_cast<unsigned>(bench.random.below(ring.slots())),
                  std::vector<bool>(banks), Words(banks)};
  bench->valid_i = outcome.valid;
  bench->base_i = outcome.base;
  bench->from_input_i = from_input;
  bench->pair_class_i = pair_class;
  bench->parity_i = parity;
  bench->fused_i = fused;
  bench->second_i = second;
  for (unsigned bank = 0; bank < banks; ++bank) {
    bench->input_i[bank] = static_cast<std::uint32_t>(bench.random.edgy(ring.modulus));
    bench->work_i[bank] = static_cast<std::uint32_t>(bench.random.edgy(ring.modulus));
  }
  for (unsigned unit = 0; unit < ring.units(); ++unit) {
    bench->factor_i[unit] = static_cast<std::uint32_t>(bench.random.edgy(ring.modulus));
    const std::uint64_t factor = ring.times(bench->factor_i[unit], inverse_radix);
    const unsigned own = own_bank(unit), partner = own ^ 1U << pair_class;
    const std::uint64_t a = from_input ? bench->input_i[own] : bench->work_i[own];
    const std::uint64_t b = from_input ? bench->input_i[partner] : bench->work_i[partner];
    const bool own_is_upper = (own >> pair_class & 1) != parity;
    const unsigned lower_bank = own_is_upper ? partner : own, upper_bank = own_is_upper ? own : partner;
    const std::uint64_t sum = (a + b) % ring.modulus;
    const std::uint64_t product = ring.times((a + ring.modulus - b) % ring.modulus, factor);
    outcome.writes[lower_bank] = outcome.valid && !(fused && second);
    outcome.writes[upper_bank] = outcome.valid && !(fused && !second);
    outcome.words[lower_bank] = fused ? ring.times(sum, factor) : sum;
    outcome.words[upper_bank] = product;
  }
  return outcome;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const Ring ring = shape_of(bench);
  const std::uint64_t inverse_radix = power_mod(ring.radix, ring.modulus - 2, ring.modulus);
  const unsigned latency = array_latency(ring);
  bench->modulus_i = static_cast<std::uint32_t>(ring.modulus);
  bench->valid_i = 0;
  bench.reset();
  for (unsigned bank = 0; bank < 2 * ring.units(); ++bank) {
    bench.expect(!bit_of(bench->write_o, bank), "no write after reset");
  }
  std::deque<Outcome> expected;
  for (unsigned i = 0; i < 1500; ++i) {
    expected.push_back(drive(bench, ring, inverse_radix));
    bench.step();
    if (expected.size() < latency) {
      bench.expect(!bench->valid_o, "nothing comes before its time");
      continue;
    }
    const Outcome outcome = expected.front();
    expected.pop_front();
    bench.expect_equal(bench->valid_o, outcome.valid, "valid");
    if (outcome.valid) bench.expect_equal(bench->base_o, outcome.base, "slot that comes with the results");
    for (unsigned bank = 0; bank < 2 * ring.units(); ++bank) {
      const std::string name = " of bank " + std::to_string(bank);
      bench.expect_equal(bit_of(bench->write_o, bank), outcome.writes[bank], "write" + name);
      if (outcome.writes[bank]) bench.expect_equal(bench->result_o[bank], outcome.words[bank], "word" + name);
    }
  }
}
