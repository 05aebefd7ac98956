// join_tree beside schoolbook products: leaves by Karatsuba's recursions of random polynomials, at the multipliers' pace, one
// product after the other with the least pause, and with greater ones before the last leaves.

#include <map>
#include <vector>

#include "../ring.h"

namespace {

using resident::Big;
using resident::Polynomial;

using resident::kLeaf;

constexpr unsigned kMultipliers = 4;

Polynomial multiply(const Polynomial& a, const Polynomial& b) {
  Polynomial product(2 * a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] = product[i + j] + a[i] * b[j];
  }
  return product;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const unsigned levels = static_cast<unsigned>(bench.parameter("Levels")), width = static_cast<unsigned>(bench.parameter("Width"));
  const unsigned n = kLeaf << levels;
  bench->low_valid_i = 0;
  bench->high_valid_i = 0;
  bench.reset();
  // By cycle and multiplier: lower or upper coefficients of a leaf begin.
  std::map<std::uint64_t, std::map<unsigned, Polynomial>> low, high;
  std::vector<Polynomial> expected;
  std::vector<std::uint64_t> begins;
  std::uint64_t cycle = bench.cycles() + 1;
  for (unsigned product = 0; product < 6; ++product) {
    Polynomial a, b;
    for (unsigned i = 0; i < n; ++i) {
      a.push_back(resident::random_bits(bench.random, width));
      b.push_back(resident::random_bits(bench.random, 2));
    }
    const auto left = resident::split(a), right = resident::split(b);
    for (unsigned leaf = 0; leaf < left.size(); ++leaf) {
      const bool last_round = leaf / kMultipliers == (left.size() - 1) / kMultipliers;
      if (leaf % kMultipliers == 0 && leaf != 0) cycle += kLeaf;
      if (leaf % kMultipliers == 0 && last_round && product > 3) cycle += bench.random.below(50);
      const Polynomial words = multiply(left[leaf], right[leaf]);
      low[cycle][leaf % kMultipliers] = {words.begin(), words.begin() + kLeaf};
      high[cycle + kLeaf][leaf % kMultipliers] = {words.begin() + kLeaf, words.end()};
    }
    begins.push_back(cycle + kLeaf + 4 * levels);
    expected.push_back(multiply(a, b));
    cycle += 2 * kLeaf;
  }
  unsigned done = 0, at = 0;
  std::map<unsigned, std::pair<Polynomial, unsigned>> low_now, high_now;
  while (done < expected.size() && bench.cycles() < cycle + 4 * n) {
    const auto drive = [&](auto& starts, auto& now, auto& valid, auto& first, auto& data) {
      if (const auto found = starts.find(bench.cycles()); found != starts.end()) {
        for (const auto& [multiplier, words] : found->second) now[multiplier] = {words, 0};
      }
      unsigned valid_bits = 0, first_bits = 0;
      for (auto& [multiplier, stream] : now) {
        if (stream.second == kLeaf) continue;
        valid_bits |= 1u << multiplier;
        if (stream.second == 0) first_bits |= 1u << multiplier;
        resident::put(data, multiplier * width, width, stream.first[stream.second++]);
      }
      valid = static_cast<std::remove_reference_t<decltype(valid)>>(valid_bits);
      first = static_cast<std::remove_reference_t<decltype(first)>>(first_bits);
    };
    drive(low, low_now, bench->low_valid_i, bench->low_first_i, bench->low_i);
    drive(high, high_now, bench->high_valid_i, bench->high_first_i, bench->high_i);
    bench.step();
    bench.expect_equal(bench->first_o, bench->valid_o && at == 0, "a product begins");
    if (at != 0) bench.expect(bench->valid_o, "no gap");
    if (!bench->valid_o) continue;
    if (at == 0) bench.expect_equal(bench.cycles(), begins[done], "the cycle in which product " + std::to_string(done) + " begins");
    resident::expect_big(bench, resident::get(bench->low_o, 0, width), expected[done][at].low(width), "low " + std::to_string(at));
    resident::expect_big(bench, resident::get(bench->high_o, 0, width), expected[done][at + n].low(width), "high " + std::to_string(at));
    if (++at < n) continue;
    at = 0;
    ++done;
  }
  bench.expect_equal(done, expected.size(), "products");
}
