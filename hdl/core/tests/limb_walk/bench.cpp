// limb_walk beside the definition of places: walks through all indices and through strips, with pauses.

#include "../places.h"
#include "bench.h"

/// A walk through a strip into a row; the whole limb is the strip of one row.
template <class Model>
void walk(ringmill::Bench<Model>& bench, const core::Places& places, unsigned log_rows, unsigned strip, unsigned row) {
  const std::uint64_t n = bench.parameter("N"), words = bench.parameter("Words"), length = n >> log_rows;
  const std::uint64_t slots = length / places.banks();
  bench->log_rows_i = log_rows;
  bench->strip_i = strip;
  bench->row_i = row;
  for (std::uint64_t walked = 0; walked < length; walked += words) {
    const std::uint64_t first = strip * length + walked;
    while (bench.random.chance(20)) {
      bench->advance_i = 0;
      bench.step();
    }
    bench->advance_i = 1;
    bench.settle();
    for (std::uint64_t k = 0; k < words; ++k) {
      bench.expect_equal(bench->bank_o ^ k, places.bank(first + k), "bank of word " + std::to_string(first + k));
      const std::uint64_t address = places.address(first + k) + row * slots - strip * slots;
      bench.expect_equal(bench->address_o, address, "address of word " + std::to_string(first + k));
    }
    bench.expect_equal(bench->last_o, walked + words == length, "last at word " + std::to_string(first));
    bench.step();
  }
  bench->advance_i = 0;
}

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const std::uint64_t n = bench.parameter("N");
  const core::Places places(bench);
  bench->advance_i = 0;
  bench.reset();
  for (unsigned i = 0; i < 2; ++i) walk(bench, places, 0, 0, 0);
  if (core::engine_of(bench) == core::DEDICATED_READ) return;
  for (unsigned i = 0; i < 40; ++i) {
    const unsigned depth = static_cast<unsigned>(n / places.banks());
    const unsigned log = 1 + static_cast<unsigned>(bench.random.below(std::min<unsigned>(5, std::bit_width(depth) - 1)));
    const auto draw = [&] { return static_cast<unsigned>(bench.random.below(1U << log)); };
    walk(bench, places, log, draw(), draw());
  }
}
