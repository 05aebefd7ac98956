// comba_machine beside schoolbook arithmetic: whole encryptions of random sizes, and how long they take.

#include "../digits.h"
#include "../job.h"
#include "../memory.h"

namespace {

template <class Model>
class Machine {
 public:
  explicit Machine(ringmill::Bench<Model>& bench)
      : bench_(bench), memory_(bench), digits_(static_cast<unsigned>(bench.parameter("Digits"))), words_(digits_ / 4),
        units_(static_cast<unsigned>(bench.parameter("Units"))) {
    bench_->start_i = 0;
    bench_->data_i = 0;
    bench_.reset();
  }

  /// An encryption modulo a number of `blocks` blocks less `spare` words, of which the memory has 16 bits more.
  void encrypt(unsigned blocks, unsigned spare, bool negative) {
    ringmill::Random& random = bench_.random;
    const auto terms = static_cast<unsigned>(1 + random.below(9));
    const unsigned length = blocks * digits_ - 4 * spare, stride = blocks * words_;
    comba::Digits modulus = comba::random_digits(random, length, 16);
    modulus.back() |= 0x8000;
    comba::Job job{};
    job.terms = terms;
    job.blocks = blocks;
    job.stride = stride;
    job.elements = 0x1000000;
    job.factors = 0x2000000;
    job.modulus = 0x3000000;
    job.reciprocal = 0x4000000;
    job.sum = 0x5000000;
    job.high = job.sum + length / 4;
    job.quotient = 0x6000000;
    job.product = 0x7000000;
    job.first = 0x8000000;
    job.second = 0x9000000;

    // Noise, and products: all 16 bits up, for which the factors are 16 bits shorter, and for the sum another 5.
    comba::Digits sum(length + digits_);
    comba::Digits noise = comba::random_digits(random, digits_ - 1, 16);
    if (negative) noise.resize(2);
    comba::Digits stored(digits_ + 4);
    comba::add(stored, noise, 1, negative);
    store(job.sum, stored);
    for (unsigned term = 0; term < terms; ++term) {
      comba::Digits x = comba::random_digits(random, length, 16);
      if (comba::compare(x, modulus) >= 0) x = modulus;
      comba::Digits b = comba::random_digits(random, digits_ - 1, 16);
      b.back() >>= 6;
      if (negative && term == 0) x[0] |= 1, b[2] |= 1;
      sum = comba::multiply_add(sum, x, b, 16);
      comba::Digits up(digits_);
      comba::add(up, b, 1, false);
      store(job.elements + term * stride, pad(x, 4 * stride));
      store(job.factors + term * words_, up);
    }
    comba::add(sum, noise, 0, negative);
    comba::Digits up(length + 1), power(length + digits_ + 1);
    comba::add(up, modulus, 1, false);
    power.back() = 1;
    store(job.modulus, pad(up, 4 * stride));
    store(job.reciprocal, pad(comba::divide(power, up).first, digits_));

    const std::uint64_t cycles = run(job);
    bench_.expect_equal(cycles, expected_cycles(terms, blocks), "cycles");
    bench_.expect(!bench_->negative_o, "not negative");
    const comba::Digits residue = comba::divide(sum, modulus).second;
    comba::Digits result(4 * stride);
    comba::add(result, residue, 1, false);
    const std::uint32_t place = bench_->second_o ? job.second : job.first;
    for (unsigned word = 0; word < stride; ++word) {
      bench_.expect_equal(memory_[place + word], comba::word_of(result, word), "word " + std::to_string(word));
    }
    seconds_ += bench_->second_o;
    ++count_;
  }

  /// Noise below zero, and nothing to add to it.
  void negative() {
    comba::Job job{};
    job.terms = job.blocks = 1;
    job.stride = words_;
    job.elements = 0x100;
    job.factors = 0x200;
    job.modulus = 0x300;
    job.reciprocal = 0x400;
    job.sum = 0x500;
    job.high = job.sum + 1;
    job.quotient = 0x600;
    job.product = 0x700;
    job.first = 0x800;
    job.second = 0x900;
    for (unsigned word = 0; word < words_; ++word) memory_[job.elements + word] = memory_[job.factors + word] = 0;
    for (unsigned word = 0; word <= words_; ++word) memory_[job.sum + word] = ~std::uint64_t{0};
    run(job);
    bench_.expect(bench_->negative_o, "negative");
  }

  void check_both() { bench_.expect(count_ > seconds_, "the first difference is the residue at times"); }

 private:
  std::uint64_t run(const comba::Job& job) {
    comba::put(bench_->job_i, job);
    bench_->start_i = 1;
    memory_.step();
    bench_->start_i = 0;
    std::uint64_t cycles = 0;
    for (bench_.settle(); bench_->busy_o && cycles < 10000000; ++cycles) memory_.step();
    return cycles;
  }

  /// What docs/machines/comba.md says.
  std::uint64_t expected_cycles(std::uint64_t terms, std::uint64_t blocks) const {
    return step_cycles(terms, blocks) + step_cycles(1, 1) + step_cycles(1, blocks) + 10 * blocks * words_ + 2;
  }
  std::uint64_t step_cycles(std::uint64_t terms, std::uint64_t blocks) const {
    std::uint64_t cycles = 0;
    for (; blocks > 0; blocks -= std::min<std::uint64_t>(blocks, units_)) {
      cycles += group_cycles(terms, std::min<std::uint64_t>(blocks, units_));
    }
    return cycles;
  }
  std::uint64_t group_cycles(std::uint64_t terms, std::uint64_t active) const {
    const std::uint64_t product = 2 * digits_ + 2, load = 2 * words_ * (active + 1);
    return load + std::max(product, load) * (terms - 1) + product + (active + 1) * digits_ + 8 + 5;
  }

  static comba::Digits pad(comba::Digits digits, std::size_t size) {
    digits.resize(size);
    return digits;
  }

  void store(std::uint64_t address, const comba::Digits& digits) {
    for (unsigned word = 0; 4 * word < digits.size(); ++word) {
      memory_[static_cast<std::uint32_t>(address + word)] = comba::word_of(digits, word);
    }
  }

  ringmill::Bench<Model>& bench_;
  comba::Memory<Model> memory_;
  unsigned digits_;
  unsigned words_;
  unsigned units_;
  unsigned seconds_ = 0;
  unsigned count_ = 0;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  Machine<Model> machine(bench);
  for (unsigned i = 0; i < 30; ++i) {
    const auto blocks = static_cast<unsigned>(2 + bench.random.below(8));
    machine.encrypt(blocks, 1, bench.random.chance(50));
    if (i % 10 == 5) machine.negative();
  }
  machine.check_both();
}
