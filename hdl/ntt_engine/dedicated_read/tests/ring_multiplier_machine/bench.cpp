// ring_multiplier_machine beside schoolbook products and long division: Phi_(N-1) where it has degree N / 2, and
// random monic polynomials.

#include "../host.h"
#include "../ring.h"

namespace {

using namespace dedicated;

/// Values in the places of coefficients, as the host writes them: index x in the place of -x where `reversed`.
Words in_places(const Shape& shape, const Words& values, bool reversed) {
  const Words indices = shape.value_indices();
  Words words(shape.n());
  for (std::uint64_t i = 0; i < shape.n(); ++i) {
    const std::uint64_t j = indices[shape.number(shape.of_coefficient(i))];
    words[i] = values[reversed ? (shape.n() - j) % shape.n() : j];
  }
  return words;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const Shape shape = shape_of(bench);
  const std::uint64_t n = shape.n() / 2;
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  const std::uint64_t cycles = product_cycles({shape, slot_latency(bench)});
  const bool full = n > 1024;
  idle(bench);
  bench.reset();
  const auto moduli = ringmill::primes(bench.random, width, width, std::max(word, shape.k));
  for (unsigned round = 0; round < (full ? 1 : 3); ++round) {
    const Field field = field_of(moduli[round], shape.n(), width, word);
    const Words f = monic(bench, shape, field, round < 2);
    bench->modulus_i = field.q;
    load_constants(bench, constants(shape, field, correction(shape, field)));
    const Words m = constant_values(shape, field, reciprocal(field, f));
    write_words(bench, 2 * shape.n(), in_places(shape, m, true));
    write_words(bench, 3 * shape.n(), in_places(shape, constant_values(shape, field, f), false));
    for (unsigned job = 0; job < (full ? 1 : 3); ++job) {
      const Words a = random_words(bench, field, n), b = random_words(bench, field, n);
      write_words(bench, 0, a);
      write_words(bench, shape.n(), b);
      run_machine(bench, cycles, "product");
      expect_words(bench, read_words(bench, shape.n()), remainder(shape, field, a, b, f), "product");
    }
  }
  if (shape.k == 16 && shape.b == 4) bench.expect(cycles <= 361376, "the paper's cycles");
}
