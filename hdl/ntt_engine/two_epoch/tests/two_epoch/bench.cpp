// two_epoch at its ports: words by tile and number, transforms from buffer to buffer, accesses between them.

#include "../timetable.h"
#include "../transform.h"

namespace {

using namespace ringmill;

constexpr unsigned kAccessLatency = 4;

template <class Model>
class Engine {
 public:
  Engine(Bench<Model>& bench, const Field& field) : bench_(bench), field_(field) {
    bench->modulus_i = static_cast<std::uint32_t>(field.modulus);
    load(factors(field, true, 0), 0, true, 0);
    for (unsigned tile = 0; tile < field.tiles(); ++tile) {
      load(factors(field, false, tile), 2 * field.tiles(), false, tile);
    }
  }

  /// Entry i is word i / T of the tile whose number is i mod T backwards.
  void write(const Words& words, unsigned buffer) {
    for (unsigned i = 0; i < words.size(); ++i) {
      place(i, buffer);
      bench_->access_write_i = 1;
      bench_->access_data_i = static_cast<std::uint32_t>(words[i]);
      bench_.step();
    }
    bench_->access_write_i = 0;
  }

  /// Reads some words in a random order, with pauses.
  void expect_words(const Words& words, unsigned buffer, const std::string& what) {
    std::deque<std::pair<bool, std::uint64_t>> expected;
    for (unsigned i = 0; i < 400 + kAccessLatency; ++i) {
      const auto index = static_cast<unsigned>(bench_.random.below(field_.n()));
      place(index, buffer);
      const bool reads = i < 400 && bench_.random.chance(80);
      bench_->access_read_i = reads;
      expected.emplace_back(reads, words[index]);
      bench_.step();
      if (expected.size() < kAccessLatency) continue;
      bench_.expect_equal(bench_->access_valid_o, expected.front().first, "valid");
      if (expected.front().first) bench_.expect_equal(bench_->access_data_o, expected.front().second, what);
      expected.pop_front();
    }
    bench_->access_read_i = 0;
  }

  void transform(bool inverse, unsigned source, unsigned destination, unsigned cycles) {
    bench_->start_i = 1;
    bench_->inverse_i = inverse;
    bench_->source_i = source;
    bench_->destination_i = destination;
    bench_.step();
    bench_->start_i = 0;
    for (unsigned i = 0; i < cycles + 2; ++i) {
      bench_.expect_equal(bench_->active_o, i < cycles, "active");
      bench_.expect(bench_->busy_o, "the engine is busy");
      bench_.step();
    }
    bench_.expect(!bench_->busy_o, "the engine is no longer busy");
  }

 private:
  void place(unsigned index, unsigned buffer) {
    bench_->access_tile_i = reverse(index % field_.tiles(), field_.bits);
    bench_->access_word_i = index / field_.tiles();
    bench_->access_buffer_i = buffer;
  }

  void load(const Words& table, unsigned address, bool all, unsigned tile) {
    bench_->factor_write_i = 1;
    bench_->factor_all_i = all;
    bench_->factor_tile_i = tile;
    for (const std::uint64_t factor : table) {
      bench_->factor_address_i = address++;
      bench_->factor_data_i = static_cast<std::uint32_t>(factor);
      bench_.step();
    }
    bench_->factor_write_i = 0;
  }

  Bench<Model>& bench_;
  const Field& field_;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto tiles = static_cast<unsigned>(bench.parameter("Tiles"));
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  const bool deep = bench.parameter("Pipeline") != 0, transposer = bench.parameter("Network") != 0;
  const Timetable timetable(tiles, transposer, butterfly_cycles(word, deep));
  bench->start_i = bench->access_write_i = bench->access_read_i = bench->factor_write_i = 0;
  bench.reset();
  for (const std::uint64_t modulus : primes(bench.random, 27, 28, 2 * bits_of(tiles))) {
    const Field field(tiles, modulus, 32, word);
    Engine<Model> engine(bench, field);
    Words first(field.n()), second(field.n());
    for (auto* words : {&first, &second}) {
      for (std::uint64_t& entry : *words) entry = static_cast<std::uint64_t>(bench.random.edgy(modulus));
    }
    // Without a second buffer the second polynomial takes the place of the first.
    const unsigned other = transposer ? 0 : 1;
    engine.write(first, 0);
    engine.transform(false, 0, other, timetable.cycles(false));
    engine.expect_words(transform(field, first, field.omega), other, "value");
    engine.write(second, other);
    engine.expect_words(second, other, "word");
    engine.transform(true, other, 0, timetable.cycles(true));
    engine.transform(false, 0, other, timetable.cycles(false));
    engine.expect_words(second, other, "value of the polynomial with these values");
  }
}
