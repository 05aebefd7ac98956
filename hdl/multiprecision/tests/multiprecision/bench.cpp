// multiprecision against exact integers: lifts and scales, as fast as it takes them and with pauses, at the paper's
// pace.

#include "../tables.h"
#include "bench.h"

namespace multiprecision {

/// Integers in (-m/2, m/2): the ends, 0, next to odd multiples of `step` / 4, any.
inline Signed any_integer(ringmill::Random& random, const Big& modulus, const Big& step) {
  const Big half = modulus >> 1;
  Big magnitude = Big::random(random, modulus.bits() + 8) % half;
  if (random.chance(60)) {
    magnitude = ((magnitude / step * 2 + 1) * step >> 2) + static_cast<std::uint64_t>(random.below(3)) - 1;
  }
  if (random.chance(10)) magnitude = half - static_cast<std::uint64_t>(random.below(2));
  if (random.chance(10)) magnitude = static_cast<std::uint64_t>(random.below(2));
  return {random.chance(50), half < magnitude ? half : magnitude};
}

}  // namespace multiprecision

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  const Sizes sizes{static_cast<unsigned>(bench.parameter("Base")), static_cast<unsigned>(bench.parameter("Total")),
                    static_cast<unsigned>(bench.parameter("Cores"))};
  const bool full = sizes.base == 41 && sizes.total == 84 && sizes.cores == 8;
  const Tables tables(sizes, some_primes(sizes.total, full ? kPapers : kGreatest));
  const std::vector<std::uint64_t>& primes = tables.primes();
  if (full) bench.expect_equal(tables.q().bits(), 1228, "bits of q");
  bench->table_write_i = bench->residue_valid_i = 0;
  bench->conversion_i = 0;
  bench.reset();
  bench->table_write_i = 1;
  for (const Entry& entry : tables.entries()) {
    bench->table_i = entry.table;
    bench->table_unit_i = entry.unit;
    bench->table_address_i = entry.address;
    bench->table_data_i = entry.data;
    bench.step();
  }
  bench->table_write_i = 0;

  for (unsigned round = 0; round < 6; ++round) {
    // Without pause, with pauses, and four as the paper's memory interface brings them.
    const bool scale = round % 2 == 1, hurried = round / 2 != 1, four = round / 2 == 2;
    const unsigned count = four ? 4 : 24, begin = scale ? 0 : sizes.base, end = scale ? sizes.base : sizes.total;
    const unsigned residues = scale ? sizes.total : sizes.base;
    std::vector<Signed> numbers, results;
    for (unsigned i = 0; i < count; ++i) {
      numbers.push_back(any_integer(bench.random, scale ? tables.total() : tables.q(), scale ? tables.q() : Big(5)));
      results.push_back(scale ? numbers.back().scaled(tables.q()) : numbers.back());
    }
    bench->conversion_i = scale;
    unsigned in = 0, in_prime = 0, out = 0, out_prime = begin, words = 0, word = 0;
    std::vector<std::uint64_t> leaves;
    const std::uint64_t start = bench.cycles();
    const std::uint64_t patience = bench.cycles() + 100000;
    while ((out < count || (scale && words < count)) && bench.cycles() < patience) {
      const bool gives = in < count && (hurried || bench.random.chance(5));
      bench->residue_valid_i = gives;
      bench->residue_i = in < count ? numbers[in].residue(primes[in_prime]) : 0;
      bench.settle();
      if (gives && bench->residue_ready_o && ++in_prime == residues) {
        in_prime = 0;
        ++in;
      }
      bench.step();
      if (bench->residue_valid_o && out < count) {
        bench.expect_equal(bench->residue_prime_o, out_prime, "prime");
        bench.expect_equal(bench->residue_o, results[out].residue(primes[out_prime]), "residue");
        if (++out_prime == end) {
          leaves.push_back(bench.cycles());
          out_prime = begin;
          ++out;
        }
      }
      bench.expect(scale || !bench->word_valid_o, "words of a lift");
      if (!bench->word_valid_o || words == count) continue;
      const Signed& expected = results[words];
      bench.expect_equal(bench->word_o, expected.magnitude.word(word), "word");
      bench.expect_equal(bench->word_last_o, word + 1 == sizes.modulus_words(), "last word");
      if (!(expected.magnitude == Big(0))) bench.expect_equal(bench->word_negative_o, expected.negative, "sign");
      if (++word == sizes.modulus_words()) {
        word = 0;
        ++words;
      }
    }
    bench.expect_equal(leaves.size(), count, "coefficients that left");
    if (!hurried || leaves.size() < count) continue;
    // Where residues take less long than the division, the quotient's pieces may wait for residues that are written.
    const unsigned slack = scale || sizes.lift_residues() >= sizes.lift_gap() + sizes.base ? 0 : sizes.base;
    const auto expect_cycles = [&](std::uint64_t actual, std::uint64_t expected, unsigned allowed, const char* what) {
      bench.expect_equal(actual, std::clamp<std::uint64_t>(actual, expected, expected + allowed), what);
    };
    expect_cycles(leaves.back() - start, scale ? sizes.scales(count) : sizes.lifts(count), count * slack, "all");
    // The paper's, in section 5.1 and table 2. The last lifts have no sum of another before them.
    if (full && four) bench.expect(leaves.back() - start <= (scale ? 5387 : 2016), "the paper's cycles of four");
    for (unsigned i = 6; i + 2 < count; ++i) {
      const std::uint64_t cycles = leaves[i] - leaves[i - 1];
      expect_cycles(cycles, scale ? sizes.scale_interval() : sizes.lift_interval(), slack, "cycles between two");
      if (full) bench.expect(cycles <= (scale ? 687 : 401), "the paper's cycles");
    }
  }
}
