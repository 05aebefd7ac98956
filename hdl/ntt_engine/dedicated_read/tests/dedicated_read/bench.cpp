// dedicated_read: all operations between random buffers, halves and reversed places, beside the definition of the
// transform.

#include "../banks.h"
#include "../polynomials.h"

namespace {

using namespace dedicated;

constexpr std::uint64_t buffers = 4;

Words scaled(const Field& field, Words words, std::uint64_t factor) {
  for (auto& word : words) word = field.times(word, factor);
  return words;
}

template <class Model>
void check_transforms(ringmill::Bench<Model>& bench, const Shape& shape, const Field& field, const Timetable& cycles,
                      Banks<Model>& banks) {
  const auto buffer = [&] { return static_cast<std::uint64_t>(bench.random.below(buffers)); };
  for (unsigned round = 0; round < 6; ++round) {
    const unsigned half = round % 3;
    const bool reversed = round >= 3;
    const std::uint64_t source = buffer(), middle = buffer(), destination = buffer();
    Words a = random_words(bench, field, shape.n());
    banks.put(source, a, false, reversed);
    for (std::uint64_t i = 0; i < shape.n(); ++i) {
      if (half != 0 && (i >= shape.n() / 2) != (half == 2)) a[i] = 0;
    }
    bench->operation_i = 0;
    bench->half_i = half;
    bench->reversed_i = reversed;
    bench->source_i = source << shape.a;
    bench->destination_i = middle << shape.a;
    banks.run(cycles.passes(), "forward");
    expect_words(bench, banks.take(middle, true, reversed), transform(field, a, field.omega), "values");
    const bool scales = bench.random.chance(50);
    bench->operation_i = scales ? 2 : 1;
    bench->source_i = middle << shape.a;
    bench->destination_i = destination << shape.a;
    banks.run(scales ? cycles.scaled() : cycles.passes(), "inverse");
    expect_words(bench, banks.take(destination, false, !reversed), scaled(field, a, scales ? 1 : shape.n()),
                 "coefficients");
  }
}

template <class Model>
void check_pairs(ringmill::Bench<Model>& bench, const Shape& shape, const Field& field, std::uint64_t correction,
                 const Timetable& cycles, Banks<Model>& banks) {
  for (unsigned round = 0; round < 6; ++round) {
    const bool product = round % 2 == 0;
    const std::uint64_t source = round % buffers, operand = (source + 1 + round / 3) % buffers;
    const std::uint64_t destination = static_cast<std::uint64_t>(bench.random.below(buffers));
    const Words a = random_words(bench, field, shape.n()), b = random_words(bench, field, shape.n());
    banks.put(source, a, false, false);
    banks.put(operand, b, false, false);
    Words expected(shape.n());
    for (std::uint64_t i = 0; i < shape.n(); ++i) {
      expected[i] = product ? field.times(field.times(a[i], b[i]), field.inverse(field.radix))
                            : field.times(a[i] + field.q - b[i], correction);
    }
    bench->operation_i = product ? 3 : 4;
    bench->source_i = source << shape.a;
    bench->operand_i = operand << shape.a;
    bench->destination_i = destination << shape.a;
    banks.run(cycles.pairs(), product ? "product" : "difference");
    expect_words(bench, banks.take(destination, false, false), expected, product ? "product" : "difference");
  }
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const Shape shape = shape_of(bench);
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  const auto read_latency = static_cast<unsigned>(bench.parameter("ReadLatency"));
  const Timetable cycles{shape, slot_latency(bench) + read_latency - 1};
  bench->start_i = bench->constant_write_i = 0;
  bench->operand_i = 0;
  bench.reset();
  for (const std::uint64_t q : ringmill::primes(bench.random, width, width, std::max(word, shape.k))) {
    const Field field = field_of(q, shape.n(), width, word);
    const std::uint64_t correction = static_cast<std::uint64_t>(bench.random.below(q));
    bench->modulus_i = q;
    load_constants(bench, constants(shape, field, correction));
    Banks<Model> banks(bench, shape, width, buffers, read_latency);
    check_transforms(bench, shape, field, cycles, banks);
    check_pairs(bench, shape, field, correction, cycles, banks);
  }
}
