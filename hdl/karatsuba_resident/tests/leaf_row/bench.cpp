// leaf_row beside products term by term, leaves after each other and with pauses.

#include <map>
#include <vector>

#include "../big.h"

namespace {

using resident::Big;

struct Output {
  Big value;
  bool first;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto parameter = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const unsigned coefficients = parameter("Coefficients"), chunks = parameter("Chunks"), key_width = parameter("KeyWidth"),
                 binary_width = parameter("BinaryWidth"), width = parameter("Width"), bits = chunks * key_width;
  bench->valid_i = 0;
  bench->first_i = 0;
  bench.reset();
  std::map<std::uint64_t, Output> low, high;
  const auto step = [&] {
    bench.step();
    const auto check = [&](std::map<std::uint64_t, Output>& outputs, bool valid, bool first, const auto& port, const char* what) {
      const auto found = outputs.find(bench.cycles());
      bench.expect_equal(valid, found != outputs.end(), std::string(what) + " comes");
      if (found == outputs.end()) return;
      bench.expect_equal(first, found->second.first, std::string(what) + " is the first");
      resident::expect_big(bench, resident::get(port, 0, width), found->second.value, what);
      outputs.erase(found);
    };
    check(low, bench->low_valid_o, bench->low_first_o, bench->low_o, "low");
    check(high, bench->high_valid_o, bench->high_first_o, bench->high_o, "high");
  };
  for (unsigned leaf = 0; leaf < 300; ++leaf) {
    while (bench.random.chance(20)) {
      bench->valid_i = 0;
      step();
    }
    std::vector<Big> key, binary, product(2 * coefficients);
    for (unsigned i = 0; i < coefficients; ++i) {
      key.push_back(resident::random_bits(bench.random, bits));
      binary.push_back(resident::random_bits(bench.random, binary_width));
      resident::put(bench->key_i, i * bits, bits, key[i]);
    }
    for (unsigned i = 0; i < coefficients; ++i) {
      for (unsigned j = 0; j < coefficients; ++j) product[i + j] = product[i + j] + key[i] * binary[j];
    }
    for (unsigned i = 0; i < coefficients; ++i) {
      low[bench.cycles() + 3 + i] = {product[i].low(width), i == 0};
      high[bench.cycles() + 2 + coefficients + i] = {product[coefficients + i].low(width), i == 0};
    }
    for (unsigned row = 0; row < coefficients; ++row) {
      bench->valid_i = 1;
      bench->first_i = row == 0;
      resident::put(bench->binary_i, 0, binary_width, binary[row]);
      step();
    }
  }
  bench->valid_i = 0;
  for (unsigned i = 0; i < 4 * coefficients; ++i) step();
  bench.expect(low.empty() && high.empty(), "all products came");
}
