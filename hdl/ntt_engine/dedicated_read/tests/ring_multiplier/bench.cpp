// ring_multiplier between buffers: products modulo f, operands whose high halves do not matter, constants that stay.

#include "../banks.h"
#include "../ring.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace dedicated;
  const Shape shape = shape_of(bench);
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  const Timetable cycles{shape, slot_latency(bench)};
  bench->start_i = bench->constant_write_i = 0;
  bench.reset();
  bool like_it = true;
  for (const std::uint64_t q : ringmill::primes(bench.random, width, width, std::max(word, shape.k))) {
    const Field field = field_of(q, shape.n(), width, word);
    const Words f = monic(bench, shape, field, like_it);
    like_it = !like_it;
    bench->modulus_i = q;
    load_constants(bench, constants(shape, field, correction(shape, field)));
    Banks<Model> banks(bench, shape, width, 4);
    banks.put(2, constant_values(shape, field, reciprocal(field, f)), true, true);
    banks.put(3, constant_values(shape, field, f), true, false);
    const Words constants_before[] = {banks.words(2), banks.words(3)};
    for (unsigned job = 0; job < 3; ++job) {
      Words a = random_words(bench, field, shape.n()), b = random_words(bench, field, shape.n());
      banks.put(0, a, false, false);
      banks.put(1, b, false, false);
      a.resize(shape.n() / 2);
      b.resize(shape.n() / 2);
      banks.run(product_cycles(cycles), "product");
      expect_words(bench, banks.take(0, false, true), remainder(shape, field, a, b, f), "product");
    }
    expect_words(bench, banks.words(2), constants_before[0], "constants of m");
    expect_words(bench, banks.words(3), constants_before[1], "constants of f");
  }
}
