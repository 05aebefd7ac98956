// lane_network beside its definition: every shift with every pair of flips where there are few lanes, random ones
// otherwise, another in each cycle.

#include <deque>
#include <vector>

#include "../../../ntt_engine/xor_banks/tests/ports.h"
#include "bench.h"

namespace {

using Words = std::vector<std::uint64_t>;

struct Route {
  unsigned shift, read_flip, write_flip;
};

/// All routes of up to 8 lanes, or random ones, in random order.
std::vector<Route> routes(ringmill::Random& random, unsigned lanes) {
  std::vector<Route> result;
  const auto draw = [&] { return static_cast<unsigned>(random.below(lanes)); };
  for (unsigned i = 0; i < 1000; ++i) result.push_back({draw(), draw(), draw()});
  for (unsigned i = 0; lanes <= 8 && i < lanes * lanes * lanes; ++i) {
    result.push_back({i % lanes, i / lanes % lanes, i / lanes / lanes});
  }
  return result;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const unsigned width = number("Width"), lanes = number("Lanes");
  const unsigned stages = ringmill::bit_length(lanes) - 1;
  const unsigned latency = number("Pipeline") == 0 ? (stages + 1) / 2 : stages;
  const auto all = routes(bench.random, lanes);
  std::deque<Words> expected;
  for (std::size_t i = 0; i <= all.size() + latency; ++i) {
    // The route comes a cycle before its words.
    const Route& next = all[i % all.size()];
    bench->shift_i = next.shift;
    bench->read_flip_i = next.read_flip;
    bench->write_flip_i = next.write_flip;
    const Route& now = all[(i + all.size() - 1) % all.size()];
    Words moved(lanes);
    for (unsigned u = 0; u < lanes; ++u) {
      const std::uint64_t word = bench.random.word() & ringmill::mask(width);
      xor_banks::put_word(bench->data_i, u, width, word);
      moved[(((u ^ now.read_flip) + now.shift) % lanes) ^ now.write_flip] = word;
    }
    if (i != 0) expected.push_back(moved);
    bench.step();
    if (expected.size() < latency || i == 0) continue;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      bench.expect_equal(xor_banks::word_of(bench->data_o, lane, width), expected.front()[lane],
                         "word at " + std::to_string(lane));
    }
    expected.pop_front();
  }
}
