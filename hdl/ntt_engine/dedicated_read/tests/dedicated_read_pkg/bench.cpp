// dedicated_read_pkg beside the places that follow from the exchanges, and the paper's algorithm 3 and cycles.

#include "../host.h"

namespace {

/// Algorithm 3: where the pair of output coefficients lies that goes to memory as pair `index`, which is the reverse of
/// the values' index.
std::uint64_t algorithm3(std::uint64_t index) {
  static const std::uint64_t bias[] = {0,    16,   8192,  8208,  4096, 4112, 12288, 12304,
                                       2048, 2064, 10240, 10256, 6144, 6160, 14336, 14352};
  const auto reverse = [](std::uint64_t value, unsigned bits) {
    std::uint64_t reversed = 0;
    for (unsigned i = 0; i < bits; ++i) reversed |= (value >> i & 1) << (bits - 1 - i);
    return reversed;
  };
  const std::uint64_t low = index & 31, high = index >> 5 & 63;
  return bias[index >> 11] + (reverse(high, 6) << 5) + reverse(low >> 1, 4) + ((low & 1) << 14);
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace dedicated;
  const Shape shape = shape_of(bench);
  bench.settle();
  bench.expect_equal(bench->words_o, shape.words(), "words");
  bench.expect_equal(bench->few_o, shape.b + 2, "few factors");
  for (std::uint64_t index = 0; index < shape.n(); ++index) {
    bench->index_i = index;
    bench.settle();
    const std::string name = " of " + std::to_string(index);
    bench.expect_equal(bench->coefficient_place_o, shape.number(shape.of_coefficient(index)), "coefficient" + name);
    const std::uint64_t place = shape.number(shape.of_value(index));
    bench.expect_equal(bench->value_place_o, place, "value" + name);
    bench.expect_equal(bench->value_index_o, index, "index" + name);
    if (shape.k != 16 || shape.b != 4 || index >= shape.n() / 2) continue;
    std::uint64_t reversed = 0;
    for (unsigned i = 0; i < 15; ++i) reversed |= (index >> i & 1) << (14 - i);
    bench.expect_equal(algorithm3(reversed), place, "algorithm 3" + name);
  }
  for (unsigned pass = 0; pass + 1 < shape.k; ++pass) {
    bench->pass_i = pass;
    bench.settle();
    bench.expect_equal(bench->exchanged_address_o, pass % shape.a, "address bit");
    bench.expect_equal(bench->exchanged_unit_o, std::min(pass, shape.b - 1), "unit bit");
  }
  const auto unit = static_cast<unsigned>(bench.parameter("UnitLatency"));
  const Timetable cycles{shape, 6 + unit};
  bench.expect_equal(bench->forward_o, cycles.passes(), "forward");
  bench.expect_equal(bench->inverse_o, cycles.passes(), "inverse");
  bench.expect_equal(bench->scaled_o, cycles.scaled(), "inverse, scaled");
  bench.expect_equal(bench->pairs_o, cycles.pairs(), "product");
  bench.expect_equal(bench->product_o, 7 * cycles.passes() + 4 * cycles.pairs() + 20, "product in a ring");
  if (shape.k == 16 && shape.b == 4 && unit <= 25) {
    bench.expect(bench->forward_o <= 47795 && bench->scaled_o <= 51909 && bench->product_o <= 361376, "the paper's");
    bench.expect_equal(bench->forward_o, 32768 + 6 + unit, "no pass waits");
  }
}
