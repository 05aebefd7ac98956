// dedicated_memory beside arrays: words of the engine and residues of the host in turn.

#include <optional>

#include "../fields.h"
#include "../shape.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace dedicated;
  const Shape shape = shape_of(bench);
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const std::uint64_t buffers = bench.parameter("Buffers"), words = buffers * shape.words();
  // By address in a bank, unit and half.
  std::vector<std::optional<std::uint64_t>> memory(words * shape.units() * 2);
  const auto residue = [&](std::uint64_t address, std::uint64_t unit, std::uint64_t half) -> auto& {
    return memory[(address * shape.units() + unit) * 2 + half];
  };
  std::deque<std::pair<bool, std::optional<std::uint64_t>>> host(2);
  bench->read_i = bench->write_i = bench->host_read_i = bench->host_write_i = 0;
  bench.reset();
  for (unsigned i = 0; i < 20000; ++i) {
    const bool host_writes = bench.random.chance(40), host_reads = bench.random.chance(40);
    const bool writes = !host_writes && bench.random.chance(60), reads = !host_reads && bench.random.chance(60);
    const std::uint64_t place = static_cast<std::uint64_t>(bench.random.below(buffers * shape.n()));
    const std::uint64_t buffer = place >> shape.k, half = place >> (shape.k - 1) & 1;
    const std::uint64_t unit = place >> shape.a & (shape.units() - 1);
    const std::uint64_t address = buffer << shape.a | (place & (shape.words() - 1));
    bench->host_write_i = host_writes;
    bench->host_read_i = host_reads;
    bench->host_place_i = place;
    bench->host_data_i = bench.random.word() >> (64 - width);
    bench->read_i = reads;
    bench->read_address_i = bench.random.below(words);
    bench->write_i = writes;
    bench->write_address_i = bench.random.below(words);

    // Reads see what was there before the writes of the cycle.
    host.emplace_back(host_reads, host_reads ? residue(address, unit, half) : std::nullopt);
    std::vector<std::optional<std::uint64_t>> expected;
    for (std::uint64_t u = 0; reads && u < shape.units(); ++u) {
      for (const std::uint64_t h : {0, 1}) expected.push_back(residue(bench->read_address_i, u, h));
    }
    for (std::uint64_t u = 0; u < shape.units(); ++u) {
      for (const std::uint64_t h : {0, 1}) {
        const std::uint64_t value = bench.random.word() >> (64 - width);
        put_field(bench->write_data_i, static_cast<unsigned>((2 * u + h) * width), width, value);
        if (writes) residue(bench->write_address_i, u, h) = value;
      }
    }
    if (host_writes) residue(address, unit, half) = bench->host_data_i;
    bench.step();
    for (unsigned at = 0; at < expected.size(); ++at) {
      if (!expected[at]) continue;
      bench.expect_equal(get_field(bench->read_data_o, at * width, width), *expected[at], "word of the engine");
    }
    host.pop_front();
    bench.expect_equal(bench->host_valid_o, host.front().first, "valid");
    if (host.front().first && host.front().second) {
      bench.expect_equal(bench->host_data_o, *host.front().second, "word of the host");
    }
  }
}
