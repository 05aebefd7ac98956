// limb_bank beside an array: readers and writers at random, each writer on a buffer of its own, each reader on a buffer of
// its own or on the first reader's at the same address. Words come two cycles after their read; what is written can be
// read in the next cycle, and a read in the same cycle gets what was there before.

#include <optional>
#include <vector>

#include "../../../ntt_engine/xor_banks/tests/ports.h"
#include "bench.h"

namespace {

/// A read under way: its reader, and its word where that is known.
struct Read {
  unsigned reader;
  std::optional<std::uint64_t> word;
};

template <class Model>
class Bank {
 public:
  explicit Bank(ringmill::Bench<Model>& bench)
      : bench_(bench), limbs_(size("Limbs")), depth_(size("Depth")), width_(size("Width")), readers_(size("Readers")),
        writers_(size("Writers")), words_(std::size_t{limbs_} * depth_) {}

  void cycle() {
    // The numbers of the buffers that were read in the cycle before.
    for (unsigned reader = 0; reader < readers_; ++reader) {
      xor_banks::put_word(bench_->choice_i, reader, ringmill::bit_length(limbs_ - 1), buffers_[reader]);
    }
    const std::vector<Read> reads = read();
    const auto written = write();
    bench_.step();
    for (const auto& [place, word] : written) words_[place] = word;
    for (const Read& read : late_) {
      if (!read.word) continue;
      ++checked_;
      bench_.expect_equal(xor_banks::word_of(bench_->read_data_o, read.reader, width_), *read.word,
                          "reader " + std::to_string(read.reader));
    }
    late_ = reads;
  }

  unsigned checked() const { return checked_; }

 private:
  unsigned size(const char* name) { return static_cast<unsigned>(bench_.parameter(name)); }

  std::vector<Read> read() {
    std::vector<Read> reads;
    buffers_ = shuffled_buffers();
    const auto first = random_address();
    const bool first_reads = bench_.random.chance(80);
    for (unsigned reader = 0; reader < readers_; ++reader) {
      const bool same = reader > 0 && bench_.random.chance(20);
      if (same) buffers_[reader] = buffers_[0];
      const unsigned address = same || reader == 0 ? first : random_address();
      const bool reads_now = reader == 0 ? first_reads : bench_.random.chance(80);
      xor_banks::put_word(bench_->read_i, reader, limbs_, std::uint64_t{reads_now} << buffers_[reader]);
      xor_banks::put_word(bench_->read_address_i, reader, ringmill::bit_length(depth_ - 1), address);
      if (reads_now) reads.push_back({reader, words_[place(buffers_[reader], address)]});
    }
    return reads;
  }

  std::vector<std::pair<std::size_t, std::uint64_t>> write() {
    std::vector<std::pair<std::size_t, std::uint64_t>> written;
    const std::vector<unsigned> buffers = shuffled_buffers();
    for (unsigned writer = 0; writer < writers_; ++writer) {
      const bool writes = bench_.random.chance(70);
      const unsigned address = random_address();
      const auto word = static_cast<std::uint64_t>(bench_.random.edgy(ringmill::Wide{1} << width_));
      xor_banks::put_word(bench_->write_i, writer, limbs_, std::uint64_t{writes} << buffers[writer]);
      xor_banks::put_word(bench_->write_address_i, writer, ringmill::bit_length(depth_ - 1), address);
      xor_banks::put_word(bench_->write_data_i, writer, width_, word);
      if (writes) written.emplace_back(place(buffers[writer], address), word);
    }
    return written;
  }

  /// All buffers in random order.
  std::vector<unsigned> shuffled_buffers() {
    std::vector<unsigned> buffers;
    for (unsigned buffer = 0; buffer < limbs_; ++buffer) {
      buffers.insert(buffers.begin() + static_cast<long>(bench_.random.below(buffer + 1)), buffer);
    }
    return buffers;
  }

  unsigned random_address() { return static_cast<unsigned>(bench_.random.below(depth_)); }
  std::size_t place(unsigned buffer, unsigned address) const { return std::size_t{buffer} * depth_ + address; }

  ringmill::Bench<Model>& bench_;
  unsigned limbs_;
  unsigned depth_;
  unsigned width_;
  unsigned readers_;
  unsigned writers_;
  std::vector<std::optional<std::uint64_t>> words_;
  std::vector<unsigned> buffers_ = std::vector<unsigned>(limbs_);
  std::vector<Read> late_;
  unsigned checked_ = 0;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  Bank<Model> bank(bench);
  for (int i = 0; i < 4000; ++i) bank.cycle();
  bench.expect(bank.checked() > 1000, "words checked");
}
