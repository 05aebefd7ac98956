// packager beside a queue: pieces without a gap, whole leaves apart, the first of a group when there is room.

#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  bench->valid_i = 0;
  bench->room_i = 0;
  bench.reset();
  std::deque<std::uint64_t> sent;
  unsigned pieces = 0, place = 0, start = 0, idle = 0;
  bool group_before = false, offered = false, was_full = false;
  for (unsigned cycle = 0; cycle < 60000; ++cycle) {
    const bool slow = cycle / 5000 % 2 == 1;
    if (!offered) {
      offered = bench.random.chance(slow ? 40 : 100);
      bench->key_i = bench.random.word() & 0x7ffffff;
      bench->binary_i = bench.random.below(1024);
    }
    bench->valid_i = offered;
    bench->room_i = bench.random.chance(cycle / 3000 % 3 == 2 ? 1 : 90);
    bench.settle();
    const bool group = bench->group_o;
    bench.expect(!group || bench->room_i, "a group when there is room");
    was_full = was_full || !bench->ready_o;
    if (bench->valid_i && bench->ready_o) {
      sent.push_back(static_cast<std::uint64_t>(bench->key_i) << 10 | bench->binary_i);
      offered = false;
    }
    bench.step();
    // A group is announced two cycles before its first pair.
    if (bench->first_o) {
      bench.expect(place == 0, "a piece begins");
      if (pieces > 0) bench.expect_equal((cycle - start) % 25, 0, "whole leaves apart");
      bench.expect_equal(group_before, pieces % 9 == 0, "a group's first piece");
      start = cycle;
    }
    bench.expect_equal(bench->valid_o, place != 0 || bench->first_o, "no gap");
    group_before = group;
    if (!bench->valid_o) {
      // With pairs enough it waits for room or for a leaf's end.
      idle = sent.size() >= 200 && pieces % 9 != 0 ? idle + 1 : 0;
      bench.expect(idle <= 28, "begins when all pairs are there");
      continue;
    }
    idle = 0;
    bench.expect(!sent.empty(), "a pair that came");
    if (sent.empty()) return;
    bench.expect_equal(static_cast<std::uint64_t>(bench->key_o) << 10 | bench->binary_o, sent.front(), "pair");
    sent.pop_front();
    if (++place == 200) place = 0, ++pieces;
  }
  bench.expect(pieces > 100, "pieces");
  bench.expect(was_full, "full at times");
}
