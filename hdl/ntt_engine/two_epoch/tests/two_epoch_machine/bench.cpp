// The whole machine beside transforms by definition: forward and back, several primes, several places, cycles.

#include "../timetable.h"
#include "../transform.h"

namespace {

using namespace ringmill;

constexpr unsigned kReadLatency = 4;

template <class Model>
class Machine {
 public:
  Machine(Bench<Model>& bench, const Field& field) : bench_(bench), field_(field) {
    bench->modulus_i = static_cast<std::uint32_t>(field.modulus);
    unsigned address = 0;
    load(factors(field, true, 0), address);
    for (unsigned tile = 0; tile < field.tiles(); ++tile) load(factors(field, false, tile), address);
  }

  void write(const Words& words) {
    for (unsigned i = 0; i < words.size(); ++i) {
      bench_->word_write_i = 1;
      bench_->word_address_i = i;
      bench_->word_data_i = static_cast<std::uint32_t>(words[i]);
      bench_.step();
    }
    bench_->word_write_i = 0;
  }

  Words read() {
    Words words;
    for (unsigned i = 0; i + 1 < field_.n() + kReadLatency; ++i) {
      bench_->word_read_i = i < field_.n();
      bench_->word_address_i = i;
      bench_.step();
      bench_.expect_equal(bench_->word_valid_o, i + 1 >= kReadLatency, "valid");
      if (bench_->word_valid_o) words.push_back(bench_->word_data_o);
    }
    bench_->word_read_i = 0;
    return words;
  }

  /// Starts a transform; its cycles.
  unsigned transform(bool inverse) {
    bench_->start_i = 1;
    bench_->inverse_i = inverse;
    bench_.step();
    bench_->start_i = 0;
    bench_->inverse_i = !inverse;
    unsigned patience = 100000;
    while (bench_->busy_o && --patience != 0) bench_.step();
    bench_.expect(patience != 0, "the machine becomes idle");
    return bench_->cycles_o;
  }

 private:
  void load(const Words& table, unsigned& address) {
    for (const std::uint64_t factor : table) {
      bench_->constant_write_i = 1;
      bench_->constant_address_i = address++;
      bench_->constant_data_i = static_cast<std::uint32_t>(factor);
      bench_.step();
    }
    bench_->constant_write_i = 0;
  }

  Bench<Model>& bench_;
  const Field& field_;
};

/// Entry i times factor^i.
Words scaled(const Field& field, Words words, std::uint64_t factor) {
  std::uint64_t power = 1;
  for (std::uint64_t& word : words) {
    word = field.times(word, power);
    power = field.times(power, factor);
  }
  return words;
}

template <class Model>
void expect_words(Bench<Model>& bench, const Words& words, const Words& expected, const std::string& what) {
  bench.expect_equal(words.size(), expected.size(), "number of " + what);
  for (std::size_t i = 0; i < std::min(words.size(), expected.size()); ++i) {
    bench.expect_equal(words[i], expected[i], what + " " + std::to_string(i));
  }
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto tiles = static_cast<unsigned>(bench.parameter("Units"));
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  bench->start_i = bench->word_write_i = bench->word_read_i = bench->constant_write_i = 0;
  bench.reset();
  std::vector<std::uint64_t> moduli = primes(bench.random, 32, 32, 2 * bits_of(tiles));
  if (tiles > 32) moduli.resize(1);  // loading takes longer than transforming
  for (const std::uint64_t modulus : moduli) {
    Field field(tiles, modulus, 32, word);
    // The first prime has a cyclic transform, the others have values elsewhere.
    if (modulus != moduli.front()) field.shift = 1 + static_cast<std::uint64_t>(bench.random.below(modulus - 1));
    Machine<Model> machine(bench, field);
    Words input(field.n());
    for (std::uint64_t& entry : input) entry = static_cast<std::uint64_t>(bench.random.edgy(modulus));
    machine.write(input);
    const Timetable timetable(tiles, bench.parameter("Network") != 0, butterfly_cycles(word));
    bench.expect_equal(machine.transform(false), timetable.cycles(false), "cycles forward");
    Words values = machine.read();
    const Words shifted = scaled(field, input, field.shift);
    expect_words(bench, values, transform(field, shifted, field.omega), "value");
    if (tiles <= 64) expect_words(bench, values, slow_transform(field, shifted, field.omega), "value by definition");
    // Values of another polynomial: not what this transform has left.
    for (std::uint64_t& value : values) value = static_cast<std::uint64_t>(bench.random.edgy(modulus));
    machine.write(values);
    bench.expect_equal(machine.transform(true), timetable.cycles(true), "cycles back");
    Words back = transform(field, values, field.inverse(field.omega));
    for (std::uint64_t& entry : back) entry = field.times(entry, field.inverse(field.n()));
    back = scaled(field, back, field.inverse(field.shift));
    expect_words(bench, machine.read(), back, "coefficient");
    // And there and back at once.
    machine.transform(false);
    machine.transform(true);
    expect_words(bench, machine.read(), back, "coefficient there and back");
  }
}
