// core_conversion beside the formula of its document in wide integers: tables of random primes and factors, operands in any
// rows, over the ends of buffers, results over their own words; doubtful columns, more than the queue has places for; the
// cycles of every conversion.

#include <deque>
#include <optional>

#include "../../../ntt_engine/xor_banks/tests/ports.h"
#include "../instruction.h"
#include "bench.h"
#include "latency.h"

namespace {

using ringmill::Wide;

/// A table: primes and factors by their places in its block.
struct Table {
  unsigned sources = 0, targets = 0;
  bool own = false, half = false, low = false;
  std::vector<std::uint64_t> primes, inverse_radix;  // of sources, then of targets
  std::vector<std::uint64_t> factors;
};

/// A row, and where an operand's rows go on.
struct Row {
  unsigned buffer, row;

  Row behind(unsigned rows, unsigned log_rows) const {
    const unsigned at = row + rows;
    return {buffer + (at >> log_rows), at & ((1U << log_rows) - 1)};
  }
};

template <class Model>
class World {
 public:
  explicit World(ringmill::Bench<Model>& bench) : bench_(bench) {
    const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
    width_ = number("Width");
    word_ = number("Word");
    banks_ = 2 * number("Units");
    depth_ = number("N") / banks_;
    doubts_ = number("Doubts");
    const unsigned pipeline = number("Pipeline");
    latency_ = 2 + ringmill::integer_multiplier_latency(width_, pipeline) +
               ringmill::montgomery_latency(width_, word_, pipeline) + 3;
    primes_ = ringmill::primes(bench.random, width_ - 4, width_, word_);
    tables_.resize(number("Tables"));
    buffers_.assign(kBuffers, std::vector<std::vector<std::uint64_t>>(banks_, std::vector<std::uint64_t>(depth_)));
  }

  void load_table(unsigned at, unsigned sources, unsigned targets) {
    auto& random = bench_.random;
    Table& table = tables_[at];
    table = {.sources = sources, .targets = targets, .own = random.chance(50), .half = random.chance(50),
             .low = random.chance(30)};
    for (unsigned i = 0; i < sources + targets; ++i) {
      const std::uint64_t q = primes_[random.below(primes_.size())];
      const std::uint64_t radix = ringmill::power_mod(2, word_ * ((width_ + word_ - 1) / word_), q);
      table.primes.push_back(q);
      table.inverse_radix.push_back(ringmill::power_mod(radix, q - 2, q));
      write_table(at, i < sources ? 8 + i : 40 + i - sources, q);
    }
    const auto factor = [&](std::uint64_t bound) {
      table.factors.push_back(static_cast<std::uint64_t>(random.edgy(bound)));
      write_table(at, 72 + static_cast<unsigned>(table.factors.size()) - 1, table.factors.back());
    };
    for (unsigned i = 0; i < sources; ++i) factor(table.primes[i]);
    // Reciprocals: y a stays below one.
    const Wide one = Wide{1} << (2 * width_ - 16);
    for (unsigned i = 0; i < sources; ++i) {
      factor((Wide{1} << width_) - 1);
      factor(static_cast<std::uint64_t>(std::min<Wide>(one / table.primes[i] + 1, (Wide{1} << width_) - 1)));
    }
    for (unsigned j = 0; j < targets; ++j) {
      for (unsigned term = 0; term < sources + 1 + table.own; ++term) factor(table.primes[sources + j]);
    }
  }

  /// A table of one source in which a certain word has a fraction just below 1/2, so that 1/2 more is doubtful.
  void load_doubtful_table(unsigned at) {
    load_table(at, 1, 2);
    Table& table = tables_[at];
    table.half = true;
    table.low = false;
    const std::uint64_t q = table.primes[0], least = std::uint64_t{1} << (width_ - 15);
    doubtful_word_ = least + bench_.random.below(q - least);
    const std::uint64_t radix = ringmill::power_mod(2, word_ * ((width_ + word_ - 1) / word_), q);
    // y is the word itself: a and b bring its fraction to just below 1/2.
    const Wide wanted = (Wide{1} << (2 * width_ - 17)) - 1 - bench_.random.below(64);
    const auto high = static_cast<std::uint64_t>(wanted / doubtful_word_);
    const auto low = static_cast<std::uint64_t>(((wanted % doubtful_word_ << width_) + doubtful_word_ - 1) / doubtful_word_);
    const std::uint64_t factors[] = {radix, low, high};
    for (unsigned i = 0; i < 3; ++i) {
      table.factors[i] = factors[i];
      write_table(at, 72 + i, factors[i]);
    }
  }

  /// A conversion of random words; `percent` of the columns get the doubtful word.
  void convert(unsigned at, unsigned percent = 0) {
    auto& random = bench_.random;
    const Table& table = tables_[at];
    unsigned most = 0;
    while (most < 5 && (2U << most) <= depth_) ++most;
    const unsigned log_rows = static_cast<unsigned>(random.below(most + 1)), slots = depth_ >> log_rows;
    const auto buffers = [&](const Row& first, unsigned rows) { return first.behind(rows - 1, log_rows).buffer + 1; };
    const auto row = [&](unsigned from) {
      return Row{from, static_cast<unsigned>(random.below(1U << log_rows))};
    };
    const Row a = row(0);
    const Row b = row(buffers(a, table.sources));
    // Results over their own words, or elsewhere.
    const Row destination = random.chance(50) ? b : row(buffers(b, table.targets));
    if (buffers(destination, table.targets) > kBuffers) return;
    for (auto& buffer : buffers_) {
      for (auto& bank : buffer) {
        for (auto& word : bank) word = static_cast<std::uint64_t>(random.edgy(Wide{1} << width_));
      }
    }
    if (percent > 0) {
      for (unsigned slot = 0; slot < slots; ++slot) {
        for (unsigned bank = 0; bank < banks_; ++bank) {
          auto& word = buffers_[a.buffer][bank][a.row * slots + slot];
          word = random.chance(percent) ? doubtful_word_ : 0;
        }
      }
    }
    auto expected = buffers_;
    const auto doubtful = results(table, expected, log_rows, {a, b, destination});
    const core::Instruction instruction{.opcode = core::CONVERT, .destination = destination.buffer, .a = a.buffer,
                                        .b = b.buffer, .slot = at, .count = log_rows,
                                        .immediate = a.row | b.row << 8 | std::uint64_t{destination.row} << 16};
    const unsigned shape = unsigned{table.low} << 13 | unsigned{table.half} << 12 | unsigned{table.own} << 11 |
                           table.targets << 5 | table.sources;
    const std::uint64_t begin = bench_.cycles();
    const unsigned error = run(instruction, shape);
    const unsigned m = table.sources + 1 + table.own;
    bench_.expect_equal(bench_.cycles() - begin,
                        3 * table.sources * (slots + 2) + std::max(table.targets * m, latency_) * slots + 3 * latency_ + 2,
                        "cycles of a conversion");
    bench_.expect(buffers_ == expected, "results");
    for (const unsigned slot : doubtful) {
      if (queue_.size() < doubts_) queue_.emplace_back(conversions_, slot);
      else lost = true;
    }
    bench_.expect_equal(error, lost ? core::DOUBTS : core::NONE, "error");
    ++conversions_;
    lost = false;
  }

  /// Takes entries from the queue.
  void take(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      bench_.settle();
      bench_.expect_equal(bench_->doubts_o, queue_.size(), "doubts");
      bench_.expect_equal(bench_->doubt_conversion_o, queue_.empty() ? 0 : queue_.front().first, "conversion of a doubt");
      bench_.expect_equal(bench_->doubt_slot_o, queue_.empty() ? 0 : queue_.front().second, "slot of a doubt");
      bench_->doubt_pop_i = 1;
      bench_.step();
      bench_->doubt_pop_i = 0;
      if (!queue_.empty()) queue_.pop_front();
    }
  }

  void clear() {
    bench_->clear_i = 1;
    bench_.step();
    bench_->clear_i = 0;
    queue_.clear();
    conversions_ = 0;
  }

  std::size_t doubts() const { return queue_.size(); }
  bool lost = false;

 private:
  static constexpr unsigned kBuffers = 32;

  void write_table(unsigned table, unsigned word, std::uint64_t value) {
    bench_->table_write_i = 1;
    bench_->table_i = table;
    bench_->table_word_i = word;
    ringmill::put(bench_->table_data_i, value);
    bench_.step();
    bench_->table_write_i = 0;
  }

  std::uint64_t product(const Table& table, unsigned prime, std::uint64_t a, std::uint64_t b) const {
    const std::uint64_t q = table.primes[prime];
    return static_cast<std::uint64_t>(Wide{a} * b % q * table.inverse_radix[prime] % q);
  }

  /// Writes the results by the formula; the slots with doubtful columns.
  std::vector<unsigned> results(const Table& table, std::vector<std::vector<std::vector<std::uint64_t>>>& buffers,
                                unsigned log_rows, const std::array<Row, 3>& rows) {
    const unsigned slots = depth_ >> log_rows, k = table.sources, fraction_bits = 2 * width_ - 16;
    const Wide one = Wide{1} << fraction_bits;
    std::vector<unsigned> doubtful;
    for (unsigned slot = 0; slot < slots; ++slot) {
      bool doubt = false;
      for (unsigned bank = 0; bank < banks_; ++bank) {
        const auto word = [&](const Row& first, unsigned behind) -> std::uint64_t& {
          const Row row = first.behind(behind, log_rows);
          return buffers[row.buffer][bank][row.row * slots + slot];
        };
        std::vector<std::uint64_t> y;
        Wide sum = table.half ? one / 2 : 0;
        for (unsigned i = 0; i < k; ++i) {
          y.push_back(product(table, i, word(rows[0], i), table.factors[i]));
          sum += (Wide{y[i]} * table.factors[k + 2 * i] >> width_) + Wide{y[i]} * table.factors[k + 2 * i + 1];
        }
        y.push_back(static_cast<std::uint64_t>(table.low ? sum % (Wide{1} << width_) : sum >> fraction_bits));
        doubt = doubt || (!table.low && sum % one >= one - 64);
        unsigned next = 3 * k;
        for (unsigned j = 0; j < table.targets; ++j) {
          const std::uint64_t q = table.primes[k + j];
          std::uint64_t result = 0;
          if (table.own) result = product(table, k + j, word(rows[1], j), table.factors[next++]);
          for (const std::uint64_t term : y) {
            result = static_cast<std::uint64_t>((Wide{result} + product(table, k + j, term, table.factors[next++])) % q);
          }
          word(rows[2], j) = result;
        }
      }
      if (doubt) doubtful.push_back(slot);
    }
    return doubtful;
  }

  /// Runs an instruction on the banks; its error.
  unsigned run(const core::Instruction& instruction, unsigned shape) {
    bench_->start_i = 1;
    ringmill::put(bench_->instruction_i, instruction.bits());
    bench_->shape_i = shape;
    struct Read {
      bool valid;
      unsigned buffer, address;
    };
    Read before{false, 0, 0};
    for (unsigned i = 0; i < 1000000; ++i) {
      bench_.settle();
      const bool done = bench_->done_o;
      const unsigned error = bench_->error_o;
      const Read read{bench_->read_o != 0, bench_->read_buffer_o, static_cast<unsigned>(bench_->read_address_o)};
      if (bench_->write_o) {
        for (unsigned bank = 0; bank < banks_; ++bank) {
          buffers_[bench_->write_buffer_o][bank][bench_->write_address_o] =
              xor_banks::word_of(bench_->write_data_o, bank, width_);
        }
      }
      bench_.step();
      bench_->start_i = 0;
      ringmill::put(bench_->instruction_i, 0);
      bench_->shape_i = 0;
      for (unsigned bank = 0; bank < banks_; ++bank) {
        const std::uint64_t noise = bench_.random.word() & static_cast<std::uint64_t>(ringmill::mask(width_));
        xor_banks::put_word(bench_->read_data_i, bank, width_,
                            before.valid ? buffers_[before.buffer][bank][before.address] : noise);
      }
      before = read;
      if (done) return error;
    }
    bench_.expect(false, "the end of a conversion");
    return 0;
  }

  ringmill::Bench<Model>& bench_;
  unsigned width_, word_, banks_, depth_, doubts_, latency_;
  std::vector<std::uint64_t> primes_;
  std::vector<Table> tables_;
  std::vector<std::vector<std::vector<std::uint64_t>>> buffers_;
  std::deque<std::pair<unsigned, unsigned>> queue_;
  unsigned conversions_ = 0;
  std::uint64_t doubtful_word_ = 1;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  bench->clear_i = bench->start_i = bench->table_write_i = bench->doubt_pop_i = 0;
  bench.reset();
  World<Model> world(bench);
  const auto tables = static_cast<unsigned>(bench.parameter("Tables"));
  const auto draw = [&](unsigned most) { return 1 + static_cast<unsigned>(bench.random.below(most)); };
  for (unsigned round = 0; round < 6; ++round) {
    for (unsigned table = 0; table < tables; ++table) {
      const bool small = bench.random.chance(70);
      const unsigned sources = draw(small ? 3 : 31);
      world.load_table(table, sources, draw(small ? 4 : std::min(32U, (1024 - 3 * sources) / (sources + 2))));
    }
    for (unsigned i = 0; i < 6; ++i) world.convert(static_cast<unsigned>(bench.random.below(tables)));
  }
  // A single source and target: the phases are shorter than the way through a lane.
  world.load_table(0, 1, 1);
  world.convert(0);
  world.clear();
  world.load_doubtful_table(1);
  std::size_t doubts = 0;
  for (unsigned i = 0; i < 20; ++i) {
    world.convert(1, i % 5 == 4 ? 60 : 2);
    doubts = std::max(doubts, world.doubts());
    world.take(draw(static_cast<unsigned>(bench.parameter("Doubts"))));
    if (i % 7 == 6) world.clear();
  }
  bench.expect_equal(doubts, bench.parameter("Doubts"), "a full queue");
}
