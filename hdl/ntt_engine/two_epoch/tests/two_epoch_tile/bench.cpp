// two_epoch_tile beside arrays and 128-bit integers: random reads, operations and writes in every cycle.

#include <deque>
#include <vector>

#include "../timetable.h"
#include "../transform.h"

namespace {

using namespace ringmill;

constexpr unsigned kDecimate = 0, kCombine = 1, kScaleSum = 2, kMultiply = 4;
constexpr unsigned kOperandLatency = 3;

/// Words and factors of a tile, and what its pipeline holds.
template <class Model>
struct Tile {
  Tile(Bench<Model>& bench, const Field& field, unsigned buffers, unsigned latency)
      : bench(bench), modulus(field.modulus), radix_inverse(field.inverse(field.radix)), tiles(field.tiles()),
        buffers(buffers), skew(below(tiles)), latency(latency), factors(4 * tiles) {
    for (auto& bank : banks) bank.assign(buffers, Words(tiles / 2));
  }

  Bench<Model>& bench;
  std::uint64_t modulus, radix_inverse;
  unsigned tiles, buffers, skew, latency;
  std::vector<Words> banks[2];  // by bank, buffer
  Words factors;
  /// Results by cycle: U's, V's; whether U's is defined.
  struct Result {
    std::uint64_t word, upper, lower;
    bool has_upper;
  };
  std::deque<Result> results;

  unsigned below(unsigned bound) { return static_cast<unsigned>(bench.random.below(bound)); }
  std::uint64_t times(std::uint64_t a, std::uint64_t b) const {
    return static_cast<std::uint64_t>(Wide{a} * b % modulus);
  }

  /// Drives a read; what it will give, from the words that the banks have now.
  void drive_read() {
    static const unsigned operations[] = {kDecimate, kCombine, kScaleSum, kMultiply};
    const unsigned operation = operations[below(4)], buffer = below(buffers);
    const unsigned parity = below(2), mask = below(4) == 0 ? 0 : 1U << below(bits_of(tiles));
    const unsigned keep = below(tiles), factor = below(4 * tiles);
    const unsigned address[2] = {below(tiles / 2), below(tiles / 2)};
    bench->operation_i = operation;
    bench->read_buffer_i = buffer;
    bench->read_even_i = address[0];
    bench->read_odd_i = address[1];
    bench->read_parity_i = parity;
    bench->read_mask_i = mask;
    bench->read_keep_i = keep;
    bench->factor_i = factor;
    const unsigned bank = parity ^ ((mask & skew) != 0);
    pending_.push_back({operation, bank, buffer, {address[0], address[1]}, factor ^ (skew & keep)});
  }

  /// The memories are read a cycle after the command, and written a cycle after theirs: reads first.
  void step_memories() {
    if (!pending_.empty()) {
      const Pending read = pending_.front();
      pending_.pop_front();
      const std::uint64_t u = banks[read.bank][read.buffer][read.address[read.bank]];
      const std::uint64_t v = banks[1 - read.bank][read.buffer][read.address[1 - read.bank]];
      const std::uint64_t w = times(factors[read.factor], radix_inverse);
      const std::uint64_t difference = (u + modulus - v) % modulus;
      Result result{u, (u + v) % modulus, times(difference, w), true};
      if (read.operation == kCombine) {
        const std::uint64_t product = times(v, w);
        result = {u, (u + product) % modulus, (u + modulus - product) % modulus, true};
      } else if (read.operation == kScaleSum) {
        result = {u, 0, times((u + v) % modulus, w), false};
      } else if (read.operation == kMultiply) {
        result = {u, u, times(v, w), true};
      }
      results.push_back(result);
    }
    for (unsigned bank = 0; bank < 2; ++bank) {
      if (store_[bank].enable) banks[bank][store_[bank].buffer][store_[bank].address] = store_[bank].word;
      store_[bank].enable = false;
    }
  }

  /// Drives a write of the results that are at the butterfly's outputs, of the network's or of the host's words.
  void drive_write(const Result& result) {
    const unsigned source = below(3), parity = below(2), buffer = below(buffers), enable = below(4);
    const bool scaled = source == 0 && (!result.has_upper || bench.random.chance(20));
    const unsigned mask = 1U << below(bits_of(tiles));
    const unsigned address[2] = {below(tiles / 2), below(tiles / 2)};
    const std::uint64_t network[2] = {below(~0U) % modulus, below(~0U) % modulus}, host = below(~0U) % modulus;
    bench->enable_i = enable;
    bench->source_i = source;
    bench->scaled_i = scaled;
    bench->write_buffer_i = buffer;
    bench->write_even_i = address[0];
    bench->write_odd_i = address[1];
    bench->write_parity_i = parity;
    bench->write_mask_i = mask;
    bench->network_i = network[1] << 32 | network[0];
    bench->host_i = static_cast<std::uint32_t>(host);
    const unsigned first = parity ^ ((mask & skew) != 0);
    const std::uint64_t upper = scaled ? result.lower : result.upper;
    for (unsigned which = 0; which < 2; ++which) {
      const std::uint64_t own = which ? result.lower : upper;
      store_[first ^ which] = {(enable >> which & 1) != 0, buffer, address[first ^ which],
                               source == 0 ? own : source == 1 ? network[which] : host};
    }
  }

 private:
  struct Pending {
    unsigned operation, bank, buffer, address[2], factor;
  };
  struct Store {
    bool enable;
    unsigned buffer, address;
    std::uint64_t word;
  };
  std::deque<Pending> pending_;
  Store store_[2] = {};
};

/// Writes all words through the host's port, and all factors.
template <class Model>
void fill(Bench<Model>& bench, Tile<Model>& tile) {
  bench->source_i = 2;
  bench->scaled_i = 0;
  bench->write_mask_i = 0;
  for (unsigned i = 0; i < tile.tiles * tile.buffers; ++i) {
    const unsigned bank = i % 2, buffer = i / tile.tiles, address = i % tile.tiles / 2;
    bench->enable_i = 1;
    bench->write_parity_i = bank;
    bench->write_buffer_i = buffer;
    bench->write_even_i = bench->write_odd_i = address;
    tile.banks[bank][buffer][address] = static_cast<std::uint64_t>(bench.random.edgy(tile.modulus));
    bench->host_i = static_cast<std::uint32_t>(tile.banks[bank][buffer][address]);
    bench.step();
  }
  bench->enable_i = 0;
  for (unsigned i = 0; i < tile.factors.size(); ++i) {
    tile.factors[i] = static_cast<std::uint64_t>(bench.random.edgy(tile.modulus));
    bench->factor_write_i = 1;
    bench->factor_address_i = i;
    bench->factor_data_i = static_cast<std::uint32_t>(tile.factors[i]);
    bench.step();
  }
  bench->factor_write_i = 0;
  bench.step();
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto tiles = static_cast<unsigned>(bench.parameter("Tiles"));
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  const auto buffers = static_cast<unsigned>(bench.parameter("Buffers"));
  const unsigned unit = butterfly_cycles(word, bench.parameter("Pipeline") != 0);
  for (const std::uint64_t modulus : primes(bench.random, 22, 32, 16)) {
    const Field field(tiles, modulus, 32, word);
    Tile<Model> tile(bench, field, buffers, kOperandLatency + unit);
    bench->modulus_i = static_cast<std::uint32_t>(modulus);
    bench->skew_i = tile.skew;
    bench->enable_i = 0;
    bench.reset();
    fill(bench, tile);
    for (unsigned cycle = 0; cycle < 400; ++cycle) {
      // A result is ready `latency` cycles after its command; commands of the last cycle meet the memories now.
      const bool ready = tile.results.size() == tile.latency - 1;
      if (tile.results.size() >= kOperandLatency - 1) {
        const auto& operand = tile.results[tile.results.size() - (kOperandLatency - 1)];
        if (cycle >= kOperandLatency) bench.expect_equal(bench->word_o, operand.word, "word of a read");
      }
      typename Tile<Model>::Result result{0, 0, 0, false};
      if (ready) {
        result = tile.results.front();
        tile.results.pop_front();
        bench.expect_equal(bench->network_o >> 32, result.lower, "lower result");
        if (result.has_upper) bench.expect_equal(bench->network_o & 0xffffffff, result.upper, "upper result");
      }
      tile.step_memories();
      tile.drive_read();
      if (ready) tile.drive_write(result);
      bench.step();
    }
    bench->enable_i = 0;
  }
}
