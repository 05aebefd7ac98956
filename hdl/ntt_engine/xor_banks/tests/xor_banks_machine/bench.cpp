// xor_banks_machine beside the definitions of its transforms: values, cycles, the host's port.

#include "../host.h"

namespace {

using namespace xor_banks;

template <class Model>
Words transform(ringmill::Bench<Model>& bench, const Words& words, bool inverse, unsigned cycles) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    bench->word_write_i = 1;
    bench->word_address_i = i;
    ringmill::put(bench->word_data_i, words[i]);
    bench.step();
    bench->word_write_i = 0;
    if (bench.random.chance(1)) bench.step();
  }
  run(bench, inverse, cycles);
  bench.expect_equal(bench->cycles_o, cycles, "cycles of the transform");
  Words result;
  for (std::size_t i = 0; i < words.size() + 10; ++i) {
    bench->word_read_i = i < words.size();
    bench->word_address_i = i % words.size();
    bench.step();
    if (bench->word_valid_o) result.push_back(bench->word_data_o);
  }
  return result;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace xor_banks;
  bench->constant_write_i = 0;
  bench->word_write_i = 0;
  bench->word_read_i = 0;
  bench->start_i = 0;
  bench.reset();
  const unsigned latency = slot_latency_of(bench);
  for (const Ring& ring : rings_of(bench)) {
    load_constants(bench, ring);
    const unsigned cycles[] = {timetable(ring.shape, false, latency).cycles,
                               timetable(ring.shape, true, latency).cycles};
    if (ring.shape.fermat() && ring.shape.log_n == 15 && ring.shape.units() == 16) {
      bench.expect(cycles[0] <= 30800, "at most 30,800 cycles with 16 units");
    }
    if (ring.shape.fermat() && ring.shape.log_n == 15 && ring.shape.units() == 64) {
      bench.expect(cycles[0] <= 7760, "at most 7,760 cycles with 64 units");
    }
    const auto on_machine = [&](const Words& words, bool inverse) {
      return transform(bench, words, inverse, cycles[inverse]);
    };
    check_transforms(bench, ring, random_words(bench, ring), on_machine);
    check_transforms(bench, ring, Words(ring.shape.n(), ring.field.q - 1), on_machine);
  }
}
