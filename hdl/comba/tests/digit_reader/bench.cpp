// digit_reader: digits are the memory's, in order, whenever they are taken; without a gap from a beat's first cycle on.

#include "../digits.h"
#include "../memory.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  comba::Memory<Model> memory(bench);
  unsigned cycle = 0;
  bench->start_i = bench->ready_i = bench->cycle_i = 0;
  bench->data_i = 0;
  bench.reset();
  const auto step = [&] {
    bench->cycle_i = cycle++ % 4;
    bench.settle();
    if (bench->read_o) bench.expect(bench->cycle_i < 2, "reads are in the first half of a beat");
    memory.step();
  };
  for (unsigned i = 0; i < 60; ++i) {
    const auto address = static_cast<std::uint32_t>(bench.random.below(1000));
    const auto count = static_cast<unsigned>(1 + bench.random.below(100));
    comba::Digits digits = comba::random_digits(bench.random, count + 8, 16);
    for (unsigned word = 0; 4 * word < count + 8; ++word) memory[address + word] = comba::word_of(digits, word);
    bench->address_i = address;
    bench->start_i = 1;
    step();
    bench->start_i = 0;
    const bool steady = i % 2 == 0;
    for (unsigned wait = 0; wait < 100 && steady && !(bench->full_o && cycle % 4 == 0); ++wait) step();
    for (unsigned taken = 0, waited = 0; taken < count && waited < 10000; ++waited) {
      bench->ready_i = steady || bench.random.chance(60);
      bench.settle();
      if (steady) bench.expect(bench->valid_o, "no gap");
      if (bench->valid_o && bench->ready_i) bench.expect_equal(bench->digit_o, digits[taken++], "digit");
      step();
      if (taken == count) bench.expect(true, "all digits");
    }
    bench->ready_i = 0;
    for (unsigned wait = 0; wait < 100 && !bench->full_o; ++wait) step();
    bench.expect(bench->full_o, "two words");
  }
}
