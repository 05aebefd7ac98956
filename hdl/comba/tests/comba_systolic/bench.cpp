// comba_systolic beside schoolbook arithmetic: whole encryptions with elements from a seed, sums that are a multiple of the
// modulus, from which it is subtracted once more, and how long they take.

#include "../chacha20.h"
#include "../digits.h"
#include "../memory.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

namespace {

template <class Model>
class Machine {
 public:
  explicit Machine(ringmill::Bench<Model>& bench)
      : bench_(bench), memory_(bench), rows_(parameter("Rows")), taps_(parameter("Taps")),
        corrections_(parameter("CorrectionDigits")), depth_(parameter("Depth")) {
    bench_->start_i = 0;
    bench_->data_i = 0;
    bench_.reset();
  }

  enum class Kind { Random, NegativeNoise, Multiple };

  void encrypt(Kind kind) {
    ringmill::Random& random = bench_.random;
    const unsigned most = (depth_ - taps_ - 4) / 32;
    const unsigned fitting = (corrections_ - 2) / 32;
    const auto blocks = kind == Kind::Multiple ? fitting : static_cast<unsigned>(1 + random.below(most));
    const auto passes = static_cast<unsigned>(1 + random.below(4));
    const unsigned length = 32 * blocks;
    for (std::uint32_t& word : seed_) word = static_cast<std::uint32_t>(random.word());
    comba::Digits modulus = comba::random_digits(random, length, 16);
    modulus.back() |= 0x8000;

    std::vector<std::uint64_t> stream;
    comba::Digits sum(length + taps_ + 2);
    comba::Digits noise = comba::random_digits(random, corrections_ - 1, 16);
    if (kind == Kind::Multiple) {
      const std::uint64_t multiple = random.below(1000);
      noise = comba::multiply_add(comba::Digits(corrections_ - 1), modulus, {multiple}, 16);
    }
    const bool negative = kind == Kind::NegativeNoise;
    if (negative) noise.resize(2);
    comba::Digits stored(corrections_);
    comba::add(stored, noise, 0, negative);
    append(stream, stored, corrections_);
    for (unsigned element = 0; element < passes * rows_; ++element) {
      comba::Digits x = from_seed(element, blocks), correction = comba::random_digits(random, corrections_, 16);
      if (correction.size() >= x.size()) correction.resize(x.size() - 1), correction.resize(corrections_);
      if (comba::compare(correction, x) > 0) correction = comba::Digits(corrections_);
      comba::Digits b = comba::random_digits(random, taps_, 16);
      if (kind == Kind::Multiple) b = comba::Digits(taps_);
      if (negative && element == 0) b[3] |= 1;
      append(stream, b, taps_);
      append(stream, correction, corrections_);
      comba::add(x, correction, 0, true);
      sum = comba::multiply_add(sum, x, b, 16);
    }
    comba::add(sum, sum, 0, false);
    comba::add(sum, noise, 0, negative);
    const unsigned cut = taps_ + 10;
    comba::Digits power(length - 4 + cut + 1);
    power.back() = 1;
    append(stream, comba::divide(power, modulus).first, 2 * taps_);
    for (unsigned word = 0; 4 * word < stream.size(); ++word) memory_[kStream + word] = comba::word_of(stream, word);
    for (unsigned word = 0; 4 * word < length + 8; ++word) memory_[kModulus + word] = comba::word_of(modulus, word);

    const std::uint64_t cycles = run(passes, blocks);
    const unsigned corrections = kind == Kind::Multiple ? 1 : 0;
    const std::uint64_t expected = expected_cycles(passes, length, corrections), slack = slack_cycles(passes, length, corrections);
    bench_.expect(expected <= cycles && cycles <= expected + slack,
                  "cycles: " + std::to_string(expected) + " and at most " + std::to_string(slack) + ", got " + std::to_string(cycles));
    const comba::Digits residue = comba::divide(sum, modulus).second;
    for (unsigned word = 0; 4 * word < length; ++word) {
      bench_.expect_equal(memory_[kResult + word], comba::word_of(residue, word), "word " + std::to_string(word));
    }
    bench_.expect_equal(memory_[kResult + length / 4], 0, "the word above");
  }

 private:
  static constexpr std::uint32_t kStream = 0x10000, kModulus = 0x20000, kResult = 0x30000;

  unsigned parameter(const char* name) const { return static_cast<unsigned>(bench_.parameter(name)); }

  comba::Digits from_seed(unsigned element, unsigned blocks) const {
    comba::Digits digits;
    for (unsigned block = 0; block < blocks; ++block) {
      for (const std::uint32_t word : comba::chacha20(seed_, element * blocks + block)) {
        digits.push_back(word & 0xffff);
        digits.push_back(word >> 16);
      }
    }
    return digits;
  }

  static void append(std::vector<std::uint64_t>& stream, comba::Digits digits, unsigned count) {
    digits.resize(count);
    stream.insert(stream.end(), digits.begin(), digits.end());
  }

  std::uint64_t run(unsigned passes, unsigned blocks) {
    // Result, modulus, stream, blocks of a pass, blocks and passes, seed.
    const std::uint64_t fields[] = {kResult, kModulus, kStream, rows_ * blocks, blocks | passes << 16};
    unsigned index = 0;
    for (const std::uint64_t field : fields) xor_banks::put_word(bench_->job_i, index++, 32, field);
    for (const std::uint32_t word : seed_) xor_banks::put_word(bench_->job_i, index++, 32, word);
    bench_->start_i = 1;
    memory_.step();
    bench_->start_i = 0;
    std::uint64_t cycles = 0;
    for (bench_.settle(); bench_->busy_o && cycles < 1000000; ++cycles) memory_.step();
    return cycles;
  }

  std::uint64_t pass_load() const { return 42 + rows_ + corrections_ + 3 + rows_ * (taps_ + corrections_); }

  /// What docs/machines/comba.md says.
  std::uint64_t expected_cycles(std::uint64_t passes, std::uint64_t length, std::uint64_t corrections) const {
    const std::uint64_t fill = corrections_ + rows_ * (taps_ + corrections_);
    const std::uint64_t pass = length + taps_ + 2, latency = 42 + rows_ + 6, wide = 42 + rows_ + corrections_ + 1 + 2 * taps_ + 3;
    const std::uint64_t sum = fill + (passes - 1) * std::max(pass, pass_load()) + std::max(pass + latency, wide);
    const std::uint64_t quotient = 3 * taps_ + 10 + rows_ + 5;
    const std::uint64_t product = length + (rows_ + 2) / 4 * 4 + 18;
    return (sum + quotient + 1) / 4 * 4 + 2 + product + corrections * (length + 2 * taps_ + rows_ + 14);
  }

  /// Loads that passes wait for, and corrections, begin in one of four cycles.
  std::uint64_t slack_cycles(std::uint64_t passes, std::uint64_t length, std::uint64_t corrections) const {
    const bool waits = length + taps_ + 2 < pass_load();
    return (waits ? 4 * passes + 4 : 0) + 8 * corrections;
  }

  ringmill::Bench<Model>& bench_;
  comba::Memory<Model> memory_;
  unsigned rows_;
  unsigned taps_;
  unsigned corrections_;
  unsigned depth_;
  comba::Seed seed_{};
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using Machine = Machine<Model>;
  Machine machine(bench);
  for (unsigned i = 0; i < 20; ++i) machine.encrypt(i % 4 == 1 ? Machine::Kind::NegativeNoise : Machine::Kind::Random);
  if (bench.parameter("CorrectionDigits") < 34) return;
  for (unsigned i = 0; i < 5; ++i) machine.encrypt(Machine::Kind::Multiple);
}
