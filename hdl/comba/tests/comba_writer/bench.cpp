// comba_writer with units that hold random sums, beside their sum by schoolbook addition: with and without an addend, which
// is negative half of the time.

#include "../digits.h"
#include "../memory.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

namespace {

template <class Model>
void write_once(ringmill::Bench<Model>& bench, comba::Memory<Model>& memory) {
  const auto digits = static_cast<unsigned>(bench.parameter("Digits"));
  const auto units = static_cast<unsigned>(bench.parameter("Units"));
  const auto active = static_cast<unsigned>(1 + bench.random.below(units));
  const unsigned total = (active + 1) * digits + 4, addend_digits = digits + 4;
  const bool addend = bench.random.chance(70), negative = addend && bench.random.chance(50);
  const std::uint32_t address = 0x400;

  // Sums of two blocks and a digit, and what they add up to.
  std::vector<comba::Digits> sums;
  comba::Digits expected(total);
  for (unsigned unit = 0; unit < active; ++unit) {
    sums.push_back(comba::random_digits(bench.random, 2 * digits + 1, 16));
    comba::add(expected, sums.back(), unit * digits, false);
  }
  for (unsigned i = 0; i < total; i += 4) memory[address + i / 4] = bench.random.word();
  if (addend) {
    comba::Digits number = comba::random_digits(bench.random, addend_digits, 16);
    number.back() >>= 2;
    comba::add(expected, number, 0, negative);
    comba::Digits stored(addend_digits);
    comba::add(stored, number, 0, negative);
    for (unsigned i = 0; i < addend_digits; i += 4) memory[address + i / 4] = comba::word_of(stored, i / 4);
  }

  ringmill::put(bench->active_i, active);
  bench->address_i = address;
  bench->addend_i = addend;
  bench->start_i = 1;
  std::vector<unsigned> left(units, 0);
  const auto show = [&] {
    for (unsigned unit = 0; unit < units; ++unit) {
      const bool has = unit < active && left[unit] < sums[unit].size();
      xor_banks::put_word(bench->unit_digit_i, unit, 16, has ? sums[unit][left[unit]] : 0);
    }
    bench.settle();
  };
  const auto step = [&] {
    show();
    const auto shifts = static_cast<std::uint64_t>(ringmill::get(bench->unit_shift_o));
    memory.step();
    for (unsigned unit = 0; unit < units; ++unit) left[unit] += shifts >> unit & 1;
  };
  step();
  bench->start_i = 0;
  unsigned cycles = 0;
  for (bench.settle(); bench->busy_o && cycles < 1000000; ++cycles) step();
  bench.expect_equal(cycles, (active + 1) * digits + 8, "cycles");
  for (unsigned unit = 0; unit < active; ++unit) bench.expect_equal(left[unit], 2 * digits + 1, "the unit is empty");
  for (unsigned i = 0; i < total; i += 4) {
    bench.expect_equal(memory[address + i / 4], comba::word_of(expected, i / 4), "word " + std::to_string(i / 4));
  }
  bench.expect_equal(bench->negative_o, expected.back() >> 15, "negative");
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  comba::Memory<Model> memory(bench);
  bench->start_i = 0;
  bench->data_i = 0;
  bench.reset();
  for (unsigned i = 0; i < 200; ++i) write_once(bench, memory);
}
