// ram_simple_dual beside an array: reads return what was written before their cycle, and hold without read_i; an output
// register shows what the first one held.

#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::Wide;
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const Wide depth = bench.parameter("Depth");
  std::vector<Wide> memory(static_cast<std::size_t>(depth));
  bench->read_i = 0;
  bench->write_i = 1;
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i] = bench.random.below(Wide{1} << width);
    bench->write_address_i = i;
    ringmill::put(bench->write_data_i, memory[i]);
    bench.step();
  }
  const bool is_late = bench.parameter("OutputRegister") != 0;
  Wide expected = 0, before = 0;
  bool known = false, known_before = false;
  for (int i = 0; i < 20000; ++i) {
    const bool writes = bench.random.chance(60), reads = bench.random.chance(60);
    const auto to = static_cast<std::size_t>(bench.random.below(depth));
    // Collisions of both ports are of interest.
    const auto from = bench.random.chance(30) ? to : static_cast<std::size_t>(bench.random.below(depth));
    const Wide data = bench.random.below(Wide{1} << width);
    bench->write_i = writes;
    bench->write_address_i = to;
    ringmill::put(bench->write_data_i, data);
    bench->read_i = reads;
    bench->read_address_i = from;
    bench.step();
    before = expected;
    known_before = known;
    if (reads) expected = memory[from];
    known |= reads;
    if (writes) memory[to] = data;
    if (!(is_late ? known_before : known)) continue;
    bench.expect_equal(ringmill::get(bench->read_data_o), is_late ? before : expected, "word " + std::to_string(from));
  }
}
