// limb_memory beside an array: all units read and write at random, each on a buffer of its own for its reads and one
// for its writes. Words come two cycles after their read; what is written can be read in the next cycle.

#include <deque>
#include <optional>
#include <vector>

#include "../../../ntt_engine/xor_banks/tests/ports.h"
#include "bench.h"

namespace {

using Known = std::optional<std::uint64_t>;

/// An address a bank, and a word a bank where it is known.
using Addresses = std::vector<unsigned>;
using Words = std::vector<Known>;

template <class Model>
class Memory {
 public:
  explicit Memory(ringmill::Bench<Model>& bench)
      : bench_(bench), limbs_(static_cast<unsigned>(bench.parameter("Limbs"))),
        banks_(2 * static_cast<unsigned>(bench.parameter("Units"))),
        depth_(static_cast<unsigned>(bench.parameter("N")) / banks_),
        width_(static_cast<unsigned>(bench.parameter("Width"))), words_(std::size_t{limbs_} * banks_ * depth_) {}

  void cycle() {
    read_all();
    write_all();
    bench_.step();
    for (const auto& [place, word] : written_) words_[place] = word;
    written_.clear();
    check(transform_, bench_->transform_read_data_o, "transform");
    check(a_, bench_->vector_read_a_data_o, "vector's a");
    check(b_, bench_->vector_read_b_data_o, "vector's b");
    check(conversion_, bench_->conversion_read_data_o, "conversion");
    check(store_, bench_->store_read_data_o, "store");
  }

 private:
  /// The words that a reader gets in this cycle and in the next; empty where it read nothing.
  using Expected = std::deque<Words>;

  void read_all() {
    const std::vector<unsigned> buffers = shuffled_buffers();
    // Now and then the vector unit's operands are one word.
    const bool same = bench_.random.chance(20);
    const Addresses of_b = one_address();
    const Addresses of_a = same ? of_b : random_addresses();
    const Addresses of_transform = random_addresses(), of_store = one_address(),
                    of_conversion = one_address();
    bench_->transform_read_i = expect(transform_, buffers[0], of_transform);
    bench_->transform_read_buffer_i = static_cast<CData>(buffers[0]);
    put_addresses(bench_->transform_read_address_i, of_transform);
    bench_->vector_read_a_i = expect(a_, buffers[1], of_a);
    bench_->vector_read_a_buffer_i = static_cast<CData>(buffers[1]);
    put_addresses(bench_->vector_read_a_address_i, of_a);
    const unsigned buffer_b = same ? buffers[1] : buffers[2];
    bench_->vector_read_b_i = expect(b_, buffer_b, of_b);
    bench_->vector_read_b_buffer_i = static_cast<CData>(buffer_b);
    ringmill::put(bench_->vector_read_b_address_i, of_b[0]);
    // There is a buffer for each reader, but for the conversion unit in memories of few.
    const bool free = limbs_ > 4;
    const unsigned buffer_c = free ? buffers[4] : buffers[3];
    bench_->conversion_read_i = free && expect(conversion_, buffer_c, of_conversion);
    bench_->conversion_read_buffer_i = static_cast<CData>(buffer_c);
    ringmill::put(bench_->conversion_read_address_i, of_conversion[0]);
    bench_->store_read_i = expect(store_, buffers[3], of_store);
    bench_->store_read_buffer_i = static_cast<CData>(buffers[3]);
    ringmill::put(bench_->store_read_address_i, of_store[0]);
  }

  void write_all() {
    const std::vector<unsigned> buffers = shuffled_buffers();
    const Addresses of_transform = random_addresses(), of_vector = random_addresses(), of_load = one_address(),
                    of_conversion = one_address();
    bench_->vector_write_i = bench_.random.chance(70);
    bench_->conversion_write_i = bench_.random.chance(70);
    for (unsigned bank = 0; bank < banks_; ++bank) {
      const bool transforms = bench_.random.chance(60), loads = bench_.random.chance(60);
      xor_banks::put_word(bench_->transform_write_i, bank, 1, transforms);
      xor_banks::put_word(bench_->load_write_i, bank, 1, loads);
      write(bench_->transform_write_data_i, bank, transforms, buffers[0], of_transform);
      write(bench_->vector_write_data_i, bank, bench_->vector_write_i, buffers[1], of_vector);
      write(bench_->conversion_write_data_i, bank, bench_->conversion_write_i, buffers[3], of_conversion);
      write(bench_->load_write_data_i, bank, loads, buffers[2], of_load);
    }
    bench_->transform_write_buffer_i = static_cast<CData>(buffers[0]);
    bench_->vector_write_buffer_i = static_cast<CData>(buffers[1]);
    bench_->conversion_write_buffer_i = static_cast<CData>(buffers[3]);
    ringmill::put(bench_->conversion_write_address_i, of_conversion[0]);
    bench_->load_write_buffer_i = static_cast<CData>(buffers[2]);
    put_addresses(bench_->transform_write_address_i, of_transform);
    put_addresses(bench_->vector_write_address_i, of_vector);
    ringmill::put(bench_->load_write_address_i, of_load[0]);
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
  Addresses one_address() { return Addresses(banks_, random_address()); }
  Addresses random_addresses() {
    Addresses addresses(banks_);
    for (unsigned& address : addresses) address = random_address();
    return addresses;
  }

  template <class Port>
  void put_addresses(Port& port, const Addresses& addresses) {
    for (unsigned bank = 0; bank < banks_; ++bank) {
      xor_banks::put_word(port, bank, ringmill::bit_length(depth_ - 1), addresses[bank]);
    }
  }

  std::size_t place(unsigned buffer, unsigned bank, unsigned address) const {
    return (std::size_t{buffer} * banks_ + bank) * depth_ + address;
  }

  /// Whether a reader reads in this cycle; notes what it then gets.
  bool expect(Expected& expected, unsigned buffer, const Addresses& addresses) {
    expected.emplace_back();
    if (!bench_.random.chance(80)) return false;
    for (unsigned bank = 0; bank < banks_; ++bank) {
      expected.back().push_back(words_[place(buffer, bank, addresses[bank])]);
    }
    return true;
  }

  template <class Port>
  void write(Port& port, unsigned bank, bool enabled, unsigned buffer, const Addresses& addresses) {
    const auto word = static_cast<std::uint64_t>(bench_.random.edgy(ringmill::Wide{1} << width_));
    xor_banks::put_word(port, bank, width_, word);
    if (enabled) written_.emplace_back(place(buffer, bank, addresses[bank]), word);
  }

  template <class Port>
  void check(Expected& expected, const Port& port, const char* reader) {
    if (expected.size() < 2) return;
    const Words& words = expected.front();
    for (unsigned bank = 0; bank < words.size(); ++bank) {
      if (!words[bank]) continue;
      bench_.expect_equal(xor_banks::word_of(port, bank, width_), *words[bank],
                          std::string(reader) + ", bank " + std::to_string(bank));
    }
    expected.pop_front();
  }

  ringmill::Bench<Model>& bench_;
  unsigned limbs_;
  unsigned banks_;
  unsigned depth_;
  unsigned width_;
  Words words_;
  std::vector<std::pair<std::size_t, std::uint64_t>> written_;
  Expected transform_, a_, b_, conversion_, store_;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  bench->transform_read_i = bench->vector_read_a_i = bench->vector_read_b_i = bench->store_read_i = bench->conversion_read_i = 0;
  bench->vector_write_i = bench->conversion_write_i = 0;
  ringmill::put(bench->transform_write_i, 0);
  ringmill::put(bench->load_write_i, 0);
  bench.reset();
  Memory<Model> memory(bench);
  for (int i = 0; i < 4000; ++i) memory.cycle();
}
