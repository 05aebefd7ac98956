// karatsuba_resident beside schoolbook products and division by Phi: keys, jobs one after the other, with and without pauses, and
// how long they take.

#include "../ring.h"

namespace {

using resident::Big;
using resident::Polynomial;

using resident::kLeaf;

constexpr unsigned kBeat = 128, kKeyWidth = 6 * 24;

/// Bits of integers without gaps, in beats.
class Beats {
 public:
  void add(const Big& value, unsigned bits) {
    for (unsigned i = 0; i < bits; ++i) {
      if (at_ % kBeat == 0) beats_.emplace_back();
      if (value.bit(i)) beats_.back() = beats_.back() + (Big(1) << at_ % kBeat);
      ++at_;
    }
  }
  void fill() { at_ = static_cast<unsigned>(beats_.size()) * kBeat; }
  const std::vector<Big>& beats() const { return beats_; }

 private:
  std::vector<Big> beats_;
  unsigned at_ = 0;
};

struct Job {
  std::vector<bool> bits;
  std::vector<int> errors;
};

template <class Model>
class Machine {
 public:
  explicit Machine(ringmill::Bench<Model>& bench)
      : bench_(bench), levels_(parameter("Levels")), long_(parameter("Long")),
        modulus_width_(parameter("ModulusWidth")), n_(kLeaf << levels_), phi_(resident::cyclotomic(5, long_)) {
    bench_->key_valid_i = 0;
    bench_->valid_i = 0;
    bench_->ready_i = 0;
    bench_.reset();
  }

  void load() {
    q_ = resident::random_modulus(bench_.random, modulus_width_);
    resident::put(bench_->modulus_i, 0, modulus_width_, q_);
    resident::put(bench_->reciprocal_i, 0, 19, resident::reciprocal(q_, modulus_width_));
    key_.clear();
    for (unsigned i = 0; i < n_; ++i) {
      const Big value = resident::random_bits(bench_.random, modulus_width_);
      key_.push_back(value < q_ ? value : q_ - Big(1));
    }
    Beats beats;
    for (const Polynomial& leaf : resident::split(key_)) {
      for (const Big& coefficient : leaf) beats.add(coefficient, kKeyWidth);
      beats.fill();
    }
    for (const Big& beat : beats.beats()) {
      bench_->key_valid_i = 1;
      resident::put(bench_->key_data_i, 0, kBeat, beat);
      bench_.step();
    }
    bench_->key_valid_i = 0;
    bench_.expect(bench_->loaded_o, "the key is there");
  }

  void run(unsigned count, unsigned input_pauses, unsigned output_pauses) {
    Beats input;
    std::vector<Big> expected;
    for (unsigned i = 0; i < count; ++i) {
      const Job job = random();
      add(input, job);
      Beats output;
      for (const Big& residue : result(job)) output.add(residue, modulus_width_);
      expected.insert(expected.end(), output.beats().begin(), output.beats().end());
    }
    const std::size_t each = expected.size() / count;
    std::size_t sent = 0, got = 0;
    std::uint64_t cycles = 0;
    bool offered = false;
    for (; got < expected.size() && cycles < 1000000; ++cycles) {
      if (!offered) offered = sent < input.beats().size() && !bench_.random.chance(input_pauses);
      bench_->valid_i = offered;
      if (offered) resident::put(bench_->data_i, 0, kBeat, input.beats()[sent]);
      bench_->ready_i = !bench_.random.chance(output_pauses);
      bench_.settle();
      if (bench_->valid_o && bench_->ready_i) {
        resident::expect_big(bench_, resident::get(bench_->data_o, 0, kBeat), expected[got], "beat " + std::to_string(got));
        bench_.expect_equal(bench_->last_o, got % each == each - 1, "the last beat of a job");
        ++got;
      }
      const bool takes = offered && bench_->ready_o;
      bench_.step();
      if (!takes) continue;
      offered = false;
      ++sent;
    }
    bench_.expect_equal(got, expected.size(), "beats");
    // With few levels a result leaves in more time than the next one takes.
    if (input_pauses == 0 && output_pauses == 0 && (count == 1 || levels_ > 3)) times(count, cycles, input.beats().size() / count, each);
  }

 private:
  unsigned parameter(const char* name) const { return static_cast<unsigned>(bench_.parameter(name)); }

  Job random() {
    Job job;
    const unsigned share = static_cast<unsigned>(bench_.random.below(101));
    for (unsigned i = 0; i < n_; ++i) {
      job.bits.push_back(bench_.random.chance(share));
      job.errors.push_back(static_cast<int>(bench_.random.below(256)) - 128);
    }
    return job;
  }

  void add(Beats& beats, const Job& job) const {
    for (unsigned place = 0; place < kLeaf; ++place) {
      for (unsigned leaf = 0; leaf < n_ / kLeaf; ++leaf) beats.add(Big(job.bits[leaf * kLeaf + place]), 1);
      beats.fill();
    }
    for (const int error : job.errors) beats.add(Big(error), 8);
    beats.fill();
  }

  Polynomial result(const Job& job) const {
    Polynomial product(2 * n_);
    for (unsigned i = 0; i < n_; ++i) {
      if (!job.bits[i]) continue;
      for (unsigned j = 0; j < n_; ++j) product[i + j] = product[i + j] + key_[j];
    }
    return resident::reduce(product, phi_, job.errors, q_);
  }

  /// Rounds of five cycles for the leaves, and one more between jobs; the input before, and sums, products, recursions and what
  /// is left of the result after them.
  void times(unsigned count, std::uint64_t cycles, std::size_t input, std::size_t output) {
    std::uint64_t leaves = 1;
    for (unsigned i = 0; i < levels_; ++i) leaves *= 3;
    const std::uint64_t rounds = (leaves + 3) / 4, period = kLeaf * (rounds + 1);
    const std::uint64_t first = input + kLeaf * rounds + levels_ + 4 * levels_ + (long_ + 5) + output;
    const std::uint64_t least = first + (count - 1) * period, most = least + 40 + kLeaf;
    bench_.expect(cycles >= least && cycles <= most, "cycles: " + std::to_string(cycles) + ", expected " + std::to_string(least) +
                                                         " to " + std::to_string(most));
  }

  ringmill::Bench<Model>& bench_;
  unsigned levels_, long_, modulus_width_, n_;
  std::vector<int> phi_;
  Big q_;
  Polynomial key_;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  Machine<Model> machine(bench);
  for (unsigned key = 0; key < 2; ++key) {
    machine.load();
    machine.run(1, 0, 0);
    machine.run(5, 0, 0);
    machine.run(3, 30, 0);
    machine.run(4, 0, 60);
    machine.run(4, 0, 90);
    machine.run(2, 50, 20);
  }
}
