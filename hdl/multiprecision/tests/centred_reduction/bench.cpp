// centred_reduction against long division: random moduli, numbers at the ends of all ranges, as fast as it takes them.

#include "../sizes.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  const unsigned words = bench.parameter("Words"), multiples = bench.parameter("Multiples");
  // Passes with a cycle for the borrow, and a register.
  const unsigned latency = (multiples + 2) * (words + 1) + 1;
  bench->valid_i = bench->row_write_i = 0;
  bench.reset();
  for (unsigned round = 0; round < 8; ++round) {
    const unsigned bits = kWord * words - multiples - static_cast<unsigned>(bench.random.below(3));
    const Big any = Big::random(bench.random, bits - 1);
    const Big modulus = Big::power(bits - 1) + (any >> 1 << 1) + 1, half = modulus >> 1;
    bench->row_write_i = 1;
    for (unsigned row = 0; row <= multiples; ++row) {
      const Big value = row == multiples ? half + 1 : modulus << (multiples - 1 - row);
      for (unsigned k = 0; k < words; ++k) {
        bench->row_address_i = row * words + k;
        bench->row_data_i = value.word(k);
        bench.step();
      }
    }
    bench->row_write_i = 0;

    // A number's words come at random while the one before is reduced, the last one not before it has left.
    const unsigned count = 24;
    std::vector<Big> numbers, magnitudes;
    std::vector<bool> signs, turned;
    for (unsigned i = 0; i < count; ++i) {
      const unsigned factor = static_cast<unsigned>(bench.random.below(1u << multiples));
      const Big edges[] = {modulus * factor, modulus * factor + half, modulus * factor + half + 1,
                           modulus * (factor + 1) - 1, modulus * factor + 1};
      numbers.push_back(bench.random.chance(60) ? edges[static_cast<unsigned>(bench.random.below(5))]
                                                : Big::random(bench.random, bits + multiples - 1));
      signs.push_back(bench.random.chance(50));
      const Big rest = numbers.back() % modulus;
      turned.push_back(half < rest);
      magnitudes.push_back(turned.back() ? modulus - rest : rest);
    }
    unsigned in = 0, in_word = 0, out = 0, out_word = 0;
    std::uint64_t free_at = 0;
    std::deque<std::uint64_t> leaves_at;
    const std::uint64_t patience = bench.cycles() + 4 * count * latency;
    while (out < count && bench.cycles() < patience) {
      const bool last = in_word + 1 == words;
      const bool gives = in < count && (round % 2 == 0 || bench.random.chance(50)) &&
                         (!last || bench.cycles() >= free_at);
      bench->valid_i = gives;
      bench->word_i = in < count ? numbers[in].word(in_word) : 0;
      bench->last_i = gives && last;
      bench->negative_i = in < count && signs[in];
      if (gives) {
        in_word = last ? 0 : in_word + 1;
        if (last) {
          free_at = bench.cycles() + latency - 1;
          leaves_at.push_back(free_at + 1);
          ++in;
        }
      }
      bench.step();
      if (!bench->valid_o) continue;
      bench.expect_equal(bench->word_o, magnitudes[out].word(out_word), "word");
      bench.expect_equal(bench->negative_o, turned[out] != signs[out], "sign");
      bench.expect_equal(bench->last_o, out_word + 1 == words, "last");
      if (++out_word == words) {
        const bool expected = !leaves_at.empty() && bench.cycles() == leaves_at.front();
        bench.expect(expected, "cycle of the last word");
        if (!leaves_at.empty()) leaves_at.pop_front();
        out_word = 0;
        ++out;
      }
    }
    bench.expect_equal(out, count, "numbers that left");
  }
}
