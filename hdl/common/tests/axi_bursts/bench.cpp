// axi_bursts beside a walk over the beats: the bursts of random requests are theirs, in order, with pauses of the
// channel and of the master's room; what it says at a begin is what it then offers; cycles.

#include "stream.h"

namespace {

/// A burst of a request, and whether it is the last.
struct Burst {
  std::uint64_t address;
  std::uint64_t beats;
  bool last;

  bool operator==(const Burst&) const = default;
};

/// Walks over the beats: a burst ends with the request, or before an address that is a multiple of a full burst.
std::vector<Burst> bursts_of(std::uint64_t address, std::uint64_t beats, std::uint64_t bytes, std::uint64_t most) {
  std::vector<Burst> bursts;
  for (; beats > 0; --beats, address += bytes) {
    if (bursts.empty() || address % (bytes * most) == 0) bursts.push_back({address, 0, false});
    ++bursts.back().beats;
  }
  bursts.back().last = true;
  return bursts;
}

template <class Model>
void check_request(ringmill::Bench<Model>& bench, std::uint64_t address, std::uint64_t beats, unsigned percent) {
  const std::uint64_t bytes = bench.parameter("DataWidth") / 8;
  const std::vector<Burst> expected = bursts_of(address, beats, bytes, bench.parameter("BurstBeats"));
  std::vector<Burst> begun, offered;
  bench->request_valid_i = 1;
  ringmill::put(bench->request_address_i, address);
  bench->request_beats_i = static_cast<std::uint32_t>(beats);
  bench.settle();
  bench.expect_equal(bench->request_ready_o, 1, "request taken while idle");
  bench.step();
  bench->request_valid_i = 0;
  ringmill::put(bench->request_address_i, 0);
  const std::uint64_t begin = bench.cycles();
  while (offered.size() < expected.size() && bench.cycles() - begin < 100 * expected.size() + 100) {
    bench->room_i = bench.random.chance(percent);
    bench->axi_ready_i = bench.random.chance(percent);
    bench.settle();
    bench.expect_equal(bench->request_ready_o, begun.size() == expected.size(), "request taken while one is cut");
    if (bench->begin_o) {
      bench.expect(bench->room_i, "a burst begins without room");
      begun.push_back({0, bench->length_o + 1U, bench->last_o != 0});
    }
    if (bench->axi_valid_o && bench->axi_ready_i) {
      const auto at = static_cast<std::uint64_t>(ringmill::get(bench->axi_address_o));
      offered.push_back({at, bench->axi_length_o + 1U, !begun.empty() && begun.size() > offered.size() &&
                                                           begun[offered.size()].last});
      bench.expect(at / 4096 == (at + offered.back().beats * bytes - 1) / 4096, "a burst crosses 4 KiB");
      bench.expect_equal(1U << bench->axi_size_o, bytes, "bytes of a beat");
      bench.expect_equal(bench->axi_burst_o, 1, "incrementing");
    }
    bench.step();
  }
  bench.expect(offered == expected, "bursts of " + std::to_string(beats) + " beats from " + ringmill::text(address));
  bench.expect_equal(begun.size(), expected.size(), "bursts that began");
  for (std::size_t i = 0; i < std::min(begun.size(), expected.size()); ++i) {
    bench.expect_equal(begun[i].beats, expected[i].beats, "beats at the begin");
  }
  if (percent == 100) bench.expect_equal(bench.cycles() - begin, 2 * expected.size(), "cycles without pauses");
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const std::uint64_t bytes = bench.parameter("DataWidth") / 8;
  const std::uint64_t most = bench.parameter("BurstBeats");
  const auto address_width = static_cast<unsigned>(bench.parameter("AddressWidth"));
  bench->request_valid_i = 0;
  bench->room_i = 0;
  bench.reset();
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t up_to = bench.random.chance(20) ? 2000 : 3 * most;
    const auto beats = 1 + static_cast<std::uint64_t>(bench.random.below(up_to));
    const ringmill::Wide space = ringmill::mask(address_width) + 1 - beats * bytes;
    const auto address = static_cast<std::uint64_t>(bench.random.edgy(space)) / bytes * bytes;
    check_request(bench, address, beats, i % 3 == 0 ? 100 : i % 3 == 1 ? 60 : 20);
  }
}
