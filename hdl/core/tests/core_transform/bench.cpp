// core_transform between buffers in arrays: transforms of any buffer to any other or itself by either engine, with the
// constants of any slot, and their cycles.

#include "../../../ntt_engine/xor_banks/tests/host.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"
#include "../instruction.h"
#include "../places.h"
#include "../prime.h"

namespace {

using core::Prime, core::Words, xor_banks::put_word, xor_banks::word_of;

/// The limb memory: words come two cycles after their read.
template <class Model>
class Buffers {
 public:
  explicit Buffers(ringmill::Bench<Model>& bench)
      : bench_(bench), places_(bench), n_(bench.parameter("N")), width_(static_cast<unsigned>(bench.parameter("Width"))),
        address_width_(ringmill::bit_length(n_ / places_.banks()) - 1),
        banks_(bench.parameter("Limbs"), std::vector<Words>(places_.banks(), Words(n_ / places_.banks()))) {
    bench.before_edge = [this] { cycle(); };
  }

  Words words(unsigned buffer) {
    Words result(n_);
    for (std::uint64_t i = 0; i < n_; ++i) result[i] = banks_[buffer][places_.bank(i)][places_.address(i)];
    return result;
  }

  void fill(unsigned buffer, const Words& words) {
    for (std::uint64_t i = 0; i < n_; ++i) banks_[buffer][places_.bank(i)][places_.address(i)] = words[i];
  }

 private:
  void cycle() {
    Words next(places_.banks());
    for (unsigned bank = 0; bank < places_.banks(); ++bank) {
      if (bench_->read_o) {
        next[bank] = banks_[bench_->read_buffer_o][bank][word_of(bench_->read_address_o, bank, address_width_)];
      }
      if (!word_of(bench_->write_o, bank, 1)) continue;
      banks_[bench_->write_buffer_o][bank][word_of(bench_->write_address_o, bank, address_width_)] =
          word_of(bench_->write_data_o, bank, width_);
    }
    data_.push_back(next);
    if (data_.size() <= 2) return;
    for (unsigned bank = 0; bank < places_.banks(); ++bank) put_word(bench_->read_data_i, bank, width_, data_[0][bank]);
    data_.pop_front();
  }

  ringmill::Bench<Model>& bench_;
  core::Places places_;
  std::uint64_t n_;
  unsigned width_, address_width_;
  std::vector<std::vector<Words>> banks_;
  std::deque<Words> data_;
};

template <class Model>
void load_constants(ringmill::Bench<Model>& bench, unsigned slot, const Prime& prime) {
  bench->constant_slot_i = slot;
  ringmill::put(bench->modulus_i, prime.field.q);
  bench->constant_write_i = 1;
  for (std::size_t i = 0; i < prime.constants.size(); ++i) {
    bench->constant_address_i = i;
    ringmill::put(bench->constant_data_i, prime.constants[i]);
    bench.step();
  }
  bench->constant_write_i = 0;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  bench->constant_write_i = 0;
  bench->start_i = 0;
  Buffers<Model> buffers(bench);
  bench.reset();
  std::vector<Prime> primes = {core::prime_of(bench)};
  while (primes.size() < bench.parameter("Slots")) primes.push_back(core::prime_of(bench, primes.back().field.q));
  for (unsigned slot = 0; slot < primes.size(); ++slot) load_constants(bench, slot, primes[slot]);
  const auto run = [&](const core::Instruction& instruction) {
    ringmill::put(bench->instruction_i, instruction.bits());
    bench->start_i = 1;
    bench.step();
    bench->start_i = 0;
    const std::uint64_t cycles = core::transform_cycles(bench, instruction.operation == 1);
    std::uint64_t waited = 1;
    for (; !bench->done_o && waited < 2 * cycles; ++waited) bench.step();
    bench.expect_equal(waited, cycles, "cycles from the start to the end");
    bench.step();
    bench.expect(!bench->done_o, "done once");
    return buffers.words(instruction.destination);
  };
  for (unsigned i = 0; i < 8; ++i) {
    core::Instruction instruction;
    instruction.slot = i % primes.size();
    instruction.a = static_cast<unsigned>(bench.random.below(bench.parameter("Limbs")));
    instruction.destination = static_cast<unsigned>(bench.random.below(bench.parameter("Limbs")));
    const Prime& prime = primes[instruction.slot];
    ringmill::put(bench->modulus_i, prime.field.q);
    Words words(bench.parameter("N"));
    for (auto& word : words) word = static_cast<std::uint64_t>(bench.random.edgy(prime.field.q));
    buffers.fill(instruction.a, words);
    xor_banks::expect_words(bench, run(instruction), prime.evaluated(words), "forward transform");
    // An inverse transform is right if the values of its result are its input.
    buffers.fill(instruction.a, words);
    instruction.operation = 1;
    const Words coefficients = prime.ordered(run(instruction));
    xor_banks::expect_words(bench, prime.evaluated(coefficients), words, "values of the inverse transform");
  }
}
