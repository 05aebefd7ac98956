// dedicated_read_machine beside the definition of the transform: forward, inverse, chains of both, cycles.

#include "../host.h"

namespace {

using namespace dedicated;

/// Compares values in the engine's order with a(omega^j), or, at great sizes, some of them.
template <class Model>
void check_values(ringmill::Bench<Model>& bench, const Shape& shape, const Field& field, const Words& a,
                  const Words& values, const std::string& name) {
  const Words indices = shape.value_indices();
  const std::uint64_t step = shape.n() > 1024 ? shape.n() / 64 - 1 : 1;
  bench.expect_equal(values.size(), shape.n(), "words of " + name);
  for (std::uint64_t i = 0; i < values.size(); i += step) {
    const std::uint64_t j = indices[shape.number(shape.of_coefficient(i))];
    const std::uint64_t expected = evaluate(field, a, field.power(field.omega, j));
    bench.expect_equal(values[i], expected, name + ", word " + std::to_string(i));
  }
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace dedicated;
  const Shape shape = shape_of(bench);
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  const Timetable cycles{shape, slot_latency(bench)};
  idle(bench);
  bench.reset();
  std::vector<std::uint64_t> moduli = ringmill::primes(bench.random, width, width, std::max(word, shape.k));
  if (shape.n() > 1024) moduli.resize(1);
  for (const std::uint64_t q : moduli) {
    const Field field = field_of(q, shape.n(), width, word);
    bench->modulus_i = q;
    load_constants(bench, constants(shape, field, 0));
    const auto run = [&](bool inverse) {
      bench->inverse_i = inverse;
      run_machine(bench, inverse ? cycles.scaled() : cycles.passes(), inverse ? "inverse" : "forward");
    };

    // There and back twice without a write between: the second time with reversed places.
    const Words a = random_words(bench, field, shape.n());
    write_words(bench, 0, a);
    for (unsigned round = 0; round < 2; ++round) {
      run(false);
      const Words values = read_words(bench, shape.n());
      check_values(bench, shape, field, a, values, "values");
      run(true);
      expect_words(bench, read_words(bench, shape.n()), a, "coefficients");
      if (round == 0) continue;
      // Values that the host writes, into a buffer that was reversed or not.
      write_words(bench, 0, values);
      run(true);
      expect_words(bench, read_words(bench, shape.n()), a, "coefficients of written values");
    }
  }
  if (shape.k == 16 && shape.b == 4) {
    bench.expect(cycles.passes() <= 47795 && cycles.scaled() <= 51909, "the paper's cycles");
  }
}
