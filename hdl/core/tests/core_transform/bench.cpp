// core_transform between buffers in arrays: transforms of any buffer to any other or itself, with the constants of any
// slot, and their cycles.

#include "../../../ntt_engine/xor_banks/tests/host.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"
#include "../instruction.h"

namespace {

using namespace xor_banks;

/// The limb memory: words come two cycles after their read.
template <class Model>
class Buffers {
 public:
  Buffers(ringmill::Bench<Model>& bench, const Shape& shape)
      : bench_(bench), shape_(shape), width_(static_cast<unsigned>(bench.parameter("Width"))),
        banks_(bench.parameter("Limbs"), std::vector<Words>(shape.banks(), Words(shape.slots()))) {
    bench.before_edge = [this] { cycle(); };
  }

  Words words(unsigned buffer) {
    Words result(shape_.n());
    for (std::uint64_t i = 0; i < shape_.n(); ++i) result[i] = banks_[buffer][shape_.bank(i)][shape_.address(i)];
    return result;
  }

  void fill(unsigned buffer, const Words& words) {
    for (std::uint64_t i = 0; i < shape_.n(); ++i) banks_[buffer][shape_.bank(i)][shape_.address(i)] = words[i];
  }

 private:
  void cycle() {
    Words next(shape_.banks());
    for (unsigned bank = 0; bank < shape_.banks(); ++bank) {
      if (bench_->read_o) {
        next[bank] = banks_[bench_->read_buffer_o][bank][word_of(bench_->read_address_o, bank, shape_.slot_bits())];
      }
      if (!word_of(bench_->write_o, bank, 1)) continue;
      banks_[bench_->write_buffer_o][bank][word_of(bench_->write_address_o, bank, shape_.slot_bits())] =
          word_of(bench_->write_data_o, bank, width_);
    }
    data_.push_back(next);
    if (data_.size() <= 2) return;
    for (unsigned bank = 0; bank < shape_.banks(); ++bank) put_word(bench_->read_data_i, bank, width_, data_[0][bank]);
    data_.pop_front();
  }

  ringmill::Bench<Model>& bench_;
  Shape shape_;
  unsigned width_;
  std::vector<std::vector<Words>> banks_;
  std::deque<Words> data_;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const Shape shape(ringmill::bit_length(number("N")) - 1, ringmill::bit_length(number("Units")) - 1, true);
  const unsigned latency =
      2 + 1 + ringmill::butterfly_latency(number("Width"), number("Word"), number("Pipeline"), true) + 1;
  bench->constant_write_i = 0;
  bench->start_i = 0;
  Buffers<Model> buffers(bench, shape);
  bench.reset();
  const Ring first(shape, number("Width"), number("Word"), 1);
  const std::vector<Ring> rings = {first, Ring(shape, number("Width"), number("Word"), 0, first.field.q)};
  for (unsigned slot = 0; slot < 2; ++slot) {
    bench->constant_slot_i = slot;
    load_constants(bench, rings[slot]);
  }
  for (unsigned i = 0; i < 8; ++i) {
    core::Instruction instruction;
    instruction.slot = i % 2;
    instruction.a = static_cast<unsigned>(bench.random.below(number("Limbs")));
    instruction.destination = static_cast<unsigned>(bench.random.below(number("Limbs")));
    const Ring& ring = rings[instruction.slot];
    ringmill::put(bench->modulus_i, ring.field.q);
    check_transforms(bench, ring, random_words(bench, ring), [&](const Words& words, bool inverse) {
      buffers.fill(instruction.a, words);
      instruction.operation = inverse;
      ringmill::put(bench->instruction_i, instruction.bits());
      bench->start_i = 1;
      bench.step();
      bench->start_i = 0;
      const unsigned cycles = timetable(shape, inverse, latency).cycles;
      unsigned waited = 0;
      for (; !bench->done_o && waited < 2 * cycles; ++waited) bench.step();
      bench.expect_equal(waited, cycles + 2, "cycles from the start to the end");
      bench.step();
      bench.expect(!bench->done_o, "done once");
      return buffers.words(instruction.destination);
    });
  }
}
