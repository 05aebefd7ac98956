// conversion_tile beside wide integers: random operations back to back, each with its controls at their times, on a memory
// that is written by the host and by results.

#include <array>
#include <vector>

#include "bench.h"
#include "latency.h"
#include "../operation.h"

namespace {

using ringmill::Wide;

/// The controls of one cycle.
struct Cycle {
  unsigned address = 0, chain = 3;
  std::array<std::uint32_t, 3> constants{};
  std::uint32_t modulus = 1;
  bool write = false, residue = false;
  unsigned bank = 0, place = 0;
};

template <class Model>
class Tile {
 public:
  explicit Tile(ringmill::Bench<Model>& bench) : bench_(bench), history_(tile::kLatency + 1) {}

  void step(const Cycle& cycle) {
    history_.push_front(cycle);
    history_.pop_back();
    bench_->address_i = cycle.address;
    Wide constants = 0;
    for (unsigned lane = 3; lane-- > 0;) constants = constants << 32 | history_[2].constants[lane];
    ringmill::put(bench_->constants_i, constants);
    bench_->chain_i = history_[tile::kPart].chain;
    bench_->modulus_i = history_[tile::kSum - 1].modulus;
    const Cycle& done = history_[tile::kLatency];
    bench_->result_i = unsigned{done.write} << 10 | unsigned{done.residue} << 9 | done.bank << 7 | done.place;
    bench_.step();
  }

  void write(unsigned place, std::uint32_t word) {
    bench_->host_write_i = 1 << place % 3;
    bench_->host_address_i = place / 3;
    ringmill::put(bench_->host_data_i, Wide{word} << 32 * (place % 3));
    step({});
    bench_->host_write_i = 0;
  }

  std::uint32_t read(unsigned place) {
    for (unsigned i = 0; i < 2; ++i) step({.address = place / 3});
    bench_.settle();
    return static_cast<std::uint32_t>(ringmill::get(bench_->words_o) >> 32 * (place % 3));
  }

  void drain() {
    for (unsigned i = 0; i <= tile::kLatency; ++i) step({});
  }

 private:
  ringmill::Bench<Model>& bench_;
  std::deque<Cycle> history_;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  auto& random = bench.random;
  bench->host_write_i = 0;
  Tile<Model> device(bench);
  device.drain();
  tile::Interpreter expected;
  const auto primes = ringmill::primes(random, 28, 32, 16);
  for (unsigned place = 0; place < tile::kWords; ++place) {
    const auto word = static_cast<std::uint32_t>(random.edgy(Wide{1} << 32));
    expected.words[place] = word;
    device.write(place, word);
  }
  for (unsigned round = 0; round < 400; ++round) {
    // Operations read the lower half and write the upper one, so none waits.
    const unsigned count = 1 + static_cast<unsigned>(random.below(6));
    for (unsigned i = 0; i < count; ++i) {
      const auto operation = tile::random_operation(random, primes, i > 0);
      std::vector<std::array<std::uint32_t, 3>> constants(operation.triples);
      for (auto& triple : constants) {
        for (auto& word : triple) word = static_cast<std::uint32_t>(random.edgy(Wide{1} << (operation.kind == 2 ? 30 : 32)));
      }
      expected.run(operation, constants);
      for (unsigned t = 0; t < operation.triples; ++t) {
        const bool last = t + 1 == operation.triples;
        device.step({.address = operation.operand + t, .chain = t == 0 ? operation.chain : 1, .constants = constants[t],
                     .modulus = operation.modulus, .write = last && operation.kind > 0, .residue = operation.kind == 2,
                     .bank = operation.destination % 3, .place = operation.destination / 3});
        while (random.chance(10)) device.step({});
      }
    }
    device.drain();
    for (unsigned place = tile::kWords / 2; place < tile::kWords; ++place) {
      bench.expect_equal(device.read(place), expected.words[place], "word");
    }
  }
}
