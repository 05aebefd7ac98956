// dedicated_exchange: each residue goes where the exchange of three bits of its place says.

#include <array>

#include "../fields.h"
#include "bench.h"

namespace {

using namespace dedicated;

/// Residues by half, unit and which of two operations.
using Block = std::vector<std::array<std::array<std::uint64_t, 2>, 2>>;

/// The words of both operations from their results: W, A and C of a residue in their new roles.
Block exchanged(const Block& results, unsigned exchange, unsigned gap) {
  Block words(results.size());
  for (unsigned unit = 0; unit < results.size(); ++unit) {
    for (unsigned address = 0; address < 2; ++address) {
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned c = unit >> gap & 1, others = unit & ~(1U << gap);
        unsigned to_unit = unit, to_address = address, to_half = half;
        if (exchange == 1) {
          to_half = address, to_address = c, to_unit = others | half << gap;
        } else if (exchange == 2) {
          to_half = c, to_unit = others | address << gap, to_address = half;
        }
        words[to_unit][to_address][to_half] = results[unit][address][half];
      }
    }
    // The lower results of both, as the second word.
    if (exchange == 3) words[unit][1] = {results[unit][0][1], results[unit][1][1]};
  }
  return words;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto units = static_cast<unsigned>(bench.parameter("Units"));
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const unsigned unit_bits = ringmill::bit_length(units) - 1;
  constexpr unsigned latency = 3;
  struct Due {
    std::uint64_t cycle;
    unsigned exchange, address;
    Block words;
  };
  std::deque<Due> due;
  Block results(units), words;
  unsigned exchange = 0, gap = 0;
  for (unsigned i = 0; i < 4000; ++i) {
    const unsigned odd = i % 2;
    if (!odd) {
      exchange = static_cast<unsigned>(bench.random.below(4));
      gap = static_cast<unsigned>(bench.random.below(unit_bits));
      for (auto& pair : results) {
        for (auto& word : pair) word = {bench.random.word() >> (64 - width), bench.random.word() >> (64 - width)};
      }
      words = exchanged(results, exchange, gap);
    }
    bench->odd_i = odd;
    bench->exchange_i = exchange;
    bench->gap_i = gap;
    for (unsigned unit = 0; unit < units; ++unit) {
      put_field(bench->upper_i, unit * width, width, results[unit][odd][0]);
      put_field(bench->lower_i, unit * width, width, results[unit][odd][1]);
    }
    due.push_back({bench.cycles() + latency, exchange, odd, words});
    bench.step();
    if (due.front().cycle != bench.cycles()) continue;
    // Of a pair of lower results only the second word counts.
    for (unsigned unit = 0; unit < units && (due.front().exchange != 3 || due.front().address == 1); ++unit) {
      for (unsigned half = 0; half < 2; ++half) {
        bench.expect_equal(get_field(bench->words_o, (2 * unit + half) * width, width),
                           due.front().words[unit][due.front().address][half],
                           "exchange " + std::to_string(due.front().exchange) + ", unit " + std::to_string(unit));
      }
    }
    due.pop_front();
  }
}
