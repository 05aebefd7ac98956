// xor_banks_memory beside an array: slots of random passes, then the host's words, latencies of both.

#include <optional>

#include "../ports.h"
#include "../timetable.h"

namespace {

using namespace xor_banks;
using Known = std::vector<std::optional<std::uint64_t>>;

/// A bench's sizes and the words by buffer and index.
struct State {
  Shape shape;
  unsigned buffers;
  unsigned width;
  unsigned address_width;
  std::vector<Known> words;
};

template <class Port>
void put_addresses(Port& port, const State& state, unsigned buffer, const std::vector<std::uint64_t>& by_bank) {
  for (unsigned bank = 0; bank < state.shape.banks(); ++bank) {
    const unsigned address = buffer << state.shape.slot_bits() | state.shape.address(by_bank[bank]);
    put_word(port, bank, state.address_width, address);
  }
}

/// Reads and writes of the engine: random slots, some banks written.
template <class Model>
void check_engine(ringmill::Bench<Model>& bench, State& state) {
  const auto all_passes = passes(state.shape, false);
  std::deque<Known> expected;
  for (unsigned i = 0; i < 3000; ++i) {
    const auto slot = [&] {
      const Pass& pass = all_passes[static_cast<unsigned>(bench.random.below(all_passes.size()))];
      return indices(state.shape, pass, static_cast<unsigned>(bench.random.below(state.shape.slots())));
    };
    const auto from = slot(), to = slot();
    const auto source = static_cast<unsigned>(bench.random.below(state.buffers));
    const auto target = static_cast<unsigned>(bench.random.below(state.buffers));
    bench->read_i = 1;
    put_addresses(bench->read_address_i, state, source, from);
    put_addresses(bench->write_address_i, state, target, to);
    expected.emplace_back();
    for (const std::uint64_t index : from) expected.back().push_back(state.words[source][index]);
    for (unsigned bank = 0; bank < state.shape.banks(); ++bank) {
      const auto word = static_cast<std::uint64_t>(bench.random.edgy(Wide{1} << state.width));
      const bool write = bench.random.chance(70);
      put_word(bench->write_i, bank, 1, write);
      put_word(bench->write_data_i, bank, state.width, word);
      if (write) state.words[target][to[bank]] = word;
    }
    bench.step();
    if (expected.size() < 2) continue;
    for (unsigned bank = 0; bank < state.shape.banks(); ++bank) {
      const auto& known = expected.front()[bank];
      if (!known) continue;
      bench.expect_equal(word_of(bench->read_data_o, bank, state.width), *known, "bank " + std::to_string(bank));
    }
    expected.pop_front();
  }
  bench->read_i = 0;
  for (unsigned bank = 0; bank < state.shape.banks(); ++bank) put_word(bench->write_i, bank, 1, 0);
}

/// The host writes and reads words of buffer 0 in random order.
template <class Model>
void check_host(ringmill::Bench<Model>& bench, State& state) {
  std::deque<std::optional<std::optional<std::uint64_t>>> expected(3);
  for (unsigned i = 0; i < 4 * state.shape.n(); ++i) {
    const auto index = static_cast<std::uint64_t>(bench.random.below(state.shape.n()));
    const auto word = static_cast<std::uint64_t>(bench.random.edgy(Wide{1} << state.width));
    const bool write = bench.random.chance(50), read = !write && bench.random.chance(80);
    bench->host_write_i = write;
    bench->host_read_i = read;
    bench->host_index_i = static_cast<std::uint32_t>(index);
    ringmill::put(bench->host_data_i, word);
    expected.emplace_back();
    if (read) expected.back() = state.words[0][index];
    if (write) state.words[0][index] = word;
    bench.step();
    const auto& answer = expected.front();
    bench.expect_equal(bench->host_valid_o, answer.has_value(), "answer to the host");
    if (answer && *answer) bench.expect_equal(bench->host_data_o, **answer, "word of the host");
    expected.pop_front();
  }
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto log2 = [&](const char* name) { return ringmill::bit_length(bench.parameter(name)) - 1; };
  const Shape shape(log2("N"), log2("Units"), false);
  const auto buffers = static_cast<unsigned>(bench.parameter("Buffers"));
  const unsigned address_width = shape.slot_bits() + std::max(1U, ringmill::bit_length(buffers - 1));
  State state{shape, buffers, static_cast<unsigned>(bench.parameter("Width")), address_width,
              std::vector<Known>(buffers, Known(shape.n()))};
  bench->host_write_i = 0;
  bench->host_read_i = 0;
  bench->read_i = 0;
  bench.reset();
  check_engine(bench, state);
  check_host(bench, state);
}
