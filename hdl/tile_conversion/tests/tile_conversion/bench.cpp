// tile_conversion beside an interpreter: random programs with waits on random words of all tiles, and their cycles.

#include <array>
#include <vector>

#include "bench.h"
#include "../operation.h"

namespace {

using ringmill::Wide;

/// Cycles before the first triple: the first operation is read and queued.
constexpr unsigned kStart = 2;

template <class Model>
void write(ringmill::Bench<Model>& bench, unsigned target, unsigned address, Wide data, unsigned tile = 0,
           unsigned mask = 7) {
  bench->host_write_i = 1;
  bench->host_target_i = target;
  bench->host_tile_i = tile;
  bench->host_address_i = address;
  bench->host_mask_i = mask;
  ringmill::put(bench->host_data_i, data);
  bench.step();
  bench->host_write_i = 0;
}

Wide bits(const tile::Operation& operation) {
  Wide bits = operation.modulus;
  bits = bits << 7 | operation.destination / 3;
  bits = bits << 2 | operation.destination % 3;
  bits = bits << 6 | operation.triples;
  bits = bits << 13 | operation.constants;
  bits = bits << 7 | operation.operand;
  bits = bits << 1 | unsigned{operation.waits};
  return bits << 4 | operation.chain << 2 | operation.kind;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  auto& random = bench.random;
  const auto tiles = static_cast<unsigned>(bench.parameter("Tiles"));
  bench->start_i = bench->host_write_i = 0;
  bench->host_address_i = bench->host_tile_i = 0;
  bench.reset();
  const auto primes = ringmill::primes(random, 28, 32, 16);
  std::vector<tile::Interpreter> expected(tiles);
  for (unsigned round = 0; round < 60; ++round) {
    for (unsigned i = 0; i < tiles; ++i) {
      for (unsigned triple = 0; triple < 128; ++triple) {
        Wide data = 0;
        for (unsigned lane = 3; lane-- > 0;) {
          const auto word = static_cast<std::uint32_t>(random.edgy(Wide{1} << 32));
          expected[i].words[3 * triple + lane] = word;
          data = data << 32 | word;
        }
        write(bench, 2, triple, data, i);
      }
      // One word alone.
      const auto place = static_cast<unsigned>(random.below(tile::kWords));
      const auto word = static_cast<std::uint32_t>(random.word());
      expected[i].words[place] = word;
      write(bench, 2, place / 3, Wide{word} << 32 * (place % 3), i, 1 << place % 3);
    }
    const unsigned count = 1 + static_cast<unsigned>(random.below(round % 10 == 0 ? 512 : 20));
    std::uint64_t cycles = kStart;
    unsigned constant = 0;
    unsigned operations = 0;
    for (; operations < count; ++operations) {
      auto operation = tile::random_operation(random, primes, operations > 0);
      if (constant + operation.triples > 8192) break;
      operation.constants = constant;
      // An operation may read what was written, if it waits.
      operation.waits = random.chance(20);
      if (operation.waits && operation.kind == 1) operation.operand += 64;
      std::vector<std::array<std::uint32_t, 3>> constants(operation.triples);
      for (auto& triple : constants) {
        Wide data = 0;
        for (unsigned lane = 3; lane-- > 0;) {
          triple[lane] = static_cast<std::uint32_t>(random.edgy(Wide{1} << (operation.kind == 2 ? 30 : 32)));
          data = data << 32 | triple[lane];
        }
        write(bench, 1, constant++, data);
      }
      write(bench, 0, operations, bits(operation));
      for (auto& tile : expected) tile.run(operation, constants);
      cycles += operation.triples + (operation.waits && operations > 0 ? tile::kLatency : 0);
    }
    bench->length_i = operations;
    bench->start_i = 1;
    bench.step();
    bench->start_i = 0;
    std::uint64_t taken = 0;
    for (; bench->busy_o && taken < 100'000; ++taken) bench.step();
    bench.expect_equal(taken, cycles + tile::kLatency, "cycles of a program");
    for (unsigned i = 0; i < tiles; ++i) {
      bench->host_tile_i = i;
      for (unsigned triple = 0; triple < 128; ++triple) {
        bench->host_address_i = triple;
        bench.step();
        bench.step();
        const Wide words = ringmill::get(bench->host_data_o);
        for (unsigned lane = 0; lane < 3; ++lane) {
          bench.expect_equal(static_cast<std::uint32_t>(words >> 32 * lane), expected[i].words[3 * triple + lane], "word");
        }
      }
    }
  }
}
