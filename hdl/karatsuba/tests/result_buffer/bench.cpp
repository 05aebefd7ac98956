// result_buffer beside a queue: results that were announced, words without a gap or with some, a link that pauses.

#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto words = static_cast<unsigned>(bench.parameter("Words"));
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const auto results = static_cast<unsigned>(bench.parameter("Results"));
  const unsigned half = words / 2;
  const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
  bench->group_i = 0;
  bench->valid_i = 0;
  bench->ready_i = 0;
  bench.reset();
  // Results whose words came, those that are announced, and where the one that comes is.
  std::deque<std::vector<std::uint64_t>> held;
  unsigned announced = 0, begun = 0, place = 0, given = 0, at = 0;
  bool full = false;
  for (unsigned cycle = 0; cycle < 300 * half; ++cycle) {
    const bool slow = cycle / (20 * half) % 2 == 1;
    bench->ready_i = bench.random.chance(slow ? 20 : 95);
    bench.settle();
    bench->group_i = bench->room_o && bench.random.chance(30);
    full = full || !bench->room_o;
    // The last word read makes room; the output holds three words at most.
    bench.expect(announced - given <= results + 1 + 2 / words, "announced");
    if (announced - given < results) bench.expect(bench->room_o, "room");
    announced += bench->group_i;
    bench->valid_i = begun < announced - bench->group_i && bench.random.chance(slow ? 50 : 100);
    if (bench->valid_i) {
      if (place == 0) held.emplace_back(words);
      held.back()[place] = bench.random.word() & mask;
      held.back()[half + place] = bench.random.word() & mask;
      ringmill::put(bench->low_i, held.back()[place]);
      ringmill::put(bench->high_i, held.back()[half + place]);
      if (++place == half) place = 0, ++begun;
    }
    bench.settle();
    if (bench->valid_o && bench->ready_i) {
      bench.expect(!held.empty(), "a word that came");
      if (held.empty()) return;
      bench.expect_equal(ringmill::get(bench->data_o), held.front()[at], "word " + std::to_string(at));
      bench.expect_equal(bench->last_o, at + 1 == words, "the last word");
      if (++at == words) {
        at = 0;
        ++given;
        held.pop_front();
      }
    }
    bench.step();
  }
  bench.expect(given > 10, "results");
  bench.expect(full, "no room at times");
}
