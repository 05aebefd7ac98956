// doubt_queue beside a list: entries in their order, none in a full queue, pushes and takes in one cycle.

#include <deque>

#include "../bits.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const std::uint64_t places = bench.parameter("Places");
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  bench->clear_i = bench->push_i = bench->pop_i = 0;
  bench.reset();
  std::deque<std::uint64_t> entries;
  unsigned full = 0, empty = 0;
  for (unsigned i = 0; i < 5000; ++i) {
    const bool fills = i / 100 % 2 == 0;
    bench->push_i = bench.random.chance(fills ? 80 : 30);
    bench->pop_i = bench.random.chance(fills ? 30 : 80);
    bench->clear_i = bench.random.chance(1);
    const auto entry = static_cast<std::uint64_t>(bench.random.edgy(ringmill::Wide{1} << width));
    ringmill::put(bench->entry_i, entry);
    bench.settle();
    bench.expect_equal(bench->count_o, entries.size(), "entries");
    bench.expect_equal(bench->full_o, entries.size() == places, "full");
    bench.expect_equal(bench->first_o, entries.empty() ? 0 : entries.front(), "first entry");
    full += bench->full_o;
    empty += entries.empty();
    const bool pushed = bench->push_i && !bench->full_o;
    if (bench->pop_i && !entries.empty()) entries.pop_front();
    if (pushed) entries.push_back(entry);
    if (bench->clear_i) entries.clear();
    bench.step();
  }
  bench.expect(full > 100 && empty > 100, "full and empty");
}
