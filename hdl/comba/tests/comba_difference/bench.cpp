// comba_difference beside schoolbook subtraction.

#include "../digits.h"
#include "../memory.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  comba::Memory<Model> memory(bench);
  bench->start_i = 0;
  bench->data_i = 0;
  bench.reset();
  const std::uint32_t sum = 0x100, product = 0x200, modulus = 0x300, first = 0x400, second = 0x500;
  unsigned seconds = 0;
  for (unsigned i = 0; i < 200; ++i) {
    const auto words = static_cast<unsigned>(1 + bench.random.below(20));
    // A sum of a product, a residue and, half of the time, the modulus.
    const comba::Digits m = comba::random_digits(bench.random, 4 * words - 1, 16);
    comba::Digits p = comba::random_digits(bench.random, 4 * words, 16), residue = m, s(4 * words);
    if (bench.random.chance(20)) residue = comba::Digits(1);
    else residue.resize(1 + static_cast<unsigned>(bench.random.below(residue.size())));
    const bool twice = bench.random.chance(50);
    comba::Digits difference(4 * words);
    comba::add(difference, residue, 0, false);
    if (twice) comba::add(difference, m, 0, false);
    comba::add(s, p, 0, false);
    comba::add(s, difference, 0, false);
    comba::Digits rest = difference;
    comba::add(rest, m, 0, true);
    for (unsigned word = 0; word < words; ++word) {
      memory[sum + word] = comba::word_of(s, word);
      memory[product + word] = comba::word_of(p, word);
      memory[modulus + word] = comba::word_of(m, word);
    }
    bench->words_i = words;
    bench->sum_i = sum;
    bench->product_i = product;
    bench->modulus_i = modulus;
    bench->first_i = first;
    bench->second_i = second;
    bench->start_i = 1;
    memory.step();
    bench->start_i = 0;
    unsigned cycles = 0;
    for (bench.settle(); bench->busy_o && cycles < 100000; ++cycles) memory.step();
    bench.expect_equal(cycles, 10 * words, "cycles");
    for (unsigned word = 0; word < words; ++word) {
      bench.expect_equal(memory[first + word], comba::word_of(difference, word), "first");
      bench.expect_equal(memory[second + word], comba::word_of(rest, word), "second");
    }
    bench.expect_equal(bench->second_o, comba::compare(difference, m) >= 0, "which one");
    seconds += bench->second_o;
  }
  bench.expect(seconds > 0 && seconds < 200, "one and the other");
}
