// xor_banks_array beside butterflies between banks: random slots of every class and operation, which bank of a pair is
// written with what; slots that are not valid write nothing, whatever their fields are.

#include "../field.h"
#include "../ports.h"

namespace {

using namespace xor_banks;

enum class Operation { kDecimate, kCombine, kScaleSum, kScaleDifference };

/// What a slot writes, by bank.
struct Outcome {
  bool valid = false;
  unsigned address = 0;
  std::vector<bool> writes;
  Words words;
  bool last = false;
};

/// The slots of a run; the scaled sums of the slot before are needed for differences.
struct Slots {
  Shape shape;
  Field field;
  unsigned width;
  unsigned memories;
  std::uint64_t inverse_radix;
  Words scaled_sums;
  Operation before = Operation::kDecimate;
};

/// Both results of a butterfly.
std::pair<std::uint64_t, std::uint64_t> butterfly(Slots& slots, Operation operation, unsigned unit, std::uint64_t u,
                                                  std::uint64_t v, std::uint64_t factor) {
  const Field& field = slots.field;
  const std::uint64_t w = field.times(factor, slots.inverse_radix), x = slots.scaled_sums[unit];
  const std::uint64_t difference = field.times(field.minus(u, v), w);
  slots.scaled_sums[unit] = field.times(field.plus(u, v), w);
  switch (operation) {
    case Operation::kDecimate: return {field.plus(u, v), difference};
    case Operation::kCombine: return {field.plus(u, field.times(v, w)), field.minus(u, field.times(v, w))};
    case Operation::kScaleSum: return {0, slots.scaled_sums[unit]};
    default: return {field.plus(x, difference), field.minus(x, difference)};
  }
}

/// Drives a random slot.
template <class Model>
Outcome drive(ringmill::Bench<Model>& bench, Slots& slots) {
  const Shape& shape = slots.shape;
  const bool summed = slots.before == Operation::kScaleSum;
  const auto operation = summed ? Operation::kScaleDifference : static_cast<Operation>(bench.random.below(3));
  slots.before = operation;
  const bool product_upper = operation == Operation::kScaleSum, valid = product_upper || bench.random.chance(80);
  const bool write_upper = valid && bench.random.chance(80);
  const bool write_lower = valid && !product_upper && bench.random.chance(80), parity = bench.random.chance(50);
  const auto pair_class = static_cast<unsigned>(bench.random.below(valid ? shape.bank_bits() : 16));
  Outcome outcome{valid, static_cast<unsigned>(bench.random.below(4096)), std::vector<bool>(shape.banks()),
                  Words(shape.banks())};
  bench->valid_i = valid;
  bench->last_i = outcome.last = bench.random.chance(20);
  bench->address_i = outcome.address;
  bench->pair_class_i = pair_class;
  bench->parity_i = parity;
  bench->decimate_i = operation == Operation::kDecimate;
  bench->combine_i = operation == Operation::kCombine;
  bench->scale_sum_i = operation == Operation::kScaleSum;
  bench->write_upper_i = write_upper;
  bench->write_lower_i = write_lower;
  bench->product_upper_i = product_upper;
  Words data(shape.banks()), factors(slots.memories);
  for (auto* words : {&data, &factors}) {
    for (auto& word : *words) word = static_cast<std::uint64_t>(bench.random.edgy(slots.field.q));
  }
  for (unsigned bank = 0; bank < shape.banks(); ++bank) put_word(bench->data_i, bank, slots.width, data[bank]);
  for (unsigned i = 0; i < slots.memories; ++i) put_word(bench->factor_i, i, slots.width, factors[i]);
  for (unsigned unit = 0; unit < shape.units() && pair_class < shape.bank_bits(); ++unit) {
    const unsigned own = own_bank(unit), partner = own ^ 1U << pair_class;
    const bool own_is_v = (own >> pair_class & 1) != parity;
    const unsigned u = own_is_v ? partner : own, v = own_is_v ? own : partner;
    const auto [upper, lower] = butterfly(slots, operation, unit, data[u], data[v], factors[unit % slots.memories]);
    outcome.writes[u] = write_upper;
    outcome.writes[v] = write_lower;
    outcome.words[u] = product_upper ? lower : upper;
    outcome.words[v] = lower;
  }
  return outcome;
}

template <class Model>
void check(ringmill::Bench<Model>& bench, const Slots& slots, const Outcome& outcome) {
  bench.expect_equal(bench->valid_o, outcome.valid, "valid");
  bench.expect_equal(bench->last_o, outcome.last, "last");
  bench.expect_equal(bench->address_o, outcome.address, "slot that comes with the results");
  for (unsigned bank = 0; bank < slots.shape.banks(); ++bank) {
    const std::string name = " of bank " + std::to_string(bank);
    bench.expect_equal(word_of(bench->write_o, bank, 1), outcome.writes[bank], "write" + name);
    if (!outcome.writes[bank]) continue;
    bench.expect_equal(word_of(bench->result_o, bank, slots.width), outcome.words[bank], "word" + name);
  }
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const unsigned log_units = ringmill::bit_length(number("Units")) - 1;
  const Field field(number("Width"), number("Word"), Wide{1} << number("Word"), ~Wide{0});
  Slots slots{Shape(log_units + 2, log_units, false), field, number("Width"), number("Memories"),
              field.inverse(field.radix), Words(number("Units"))};
  ringmill::put(bench->modulus_i, field.q);
  bench->valid_i = bench->last_i = 0;
  bench.reset();
  const unsigned latency = slot_latency_of(bench) - 2;
  std::deque<Outcome> expected;
  for (unsigned i = 0; i < 1500; ++i) {
    expected.push_back(drive(bench, slots));
    bench.step();
    if (expected.size() < latency) {
      bench.expect(!bench->valid_o && !bench->last_o, "nothing comes before its time");
      continue;
    }
    check(bench, slots, expected.front());
    expected.pop_front();
  }
}
