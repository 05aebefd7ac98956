// conversion_sequencer: each coefficient is summed once and, in a lift, gets its residues once, in order, from its own
// buffer, with the constants of its phase, after its quotient; sums keep their pace.

#include "../control.h"
#include "../sizes.h"
#include "bench.h"

namespace multiprecision {

/// What a round of the bench counts: coefficients by how far they are.
struct Progress {
  unsigned taken, loaded, summed, divided, left;
};

constexpr unsigned kBuffers = 4;

}  // namespace multiprecision

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace multiprecision;
  const Sizes sizes{static_cast<unsigned>(bench.parameter("Base")), static_cast<unsigned>(bench.parameter("Total")),
                    static_cast<unsigned>(bench.parameter("Cores"))};
  bench->taken_i = bench->loaded_i = bench->quotient_i = 0;
  bench.reset();
  unsigned before = 0;
  for (unsigned round = 0; round < 6; ++round) {
    const bool scale = round % 2 == 1, hurried = round / 2 != 1;
    // From a sum's end to its quotient: shorter and longer than the residues' phase.
    const unsigned delay = round < 4 ? sizes.lift_residues() / 2 + 1 : sizes.lift_residues() + 9;
    const unsigned count = before + 12, sum = scale ? sizes.scale_sum() : sizes.lift_sum();
    Progress progress{before, before, before, before, before};
    std::deque<std::uint64_t> loads_at, divides_at;
    std::vector<std::uint64_t> begins;
    bool whole = false;
    unsigned product = 0;
    bench->conversion_i = scale;
    const std::uint64_t patience = bench.cycles() + 100000;
    while (progress.left < count && bench.cycles() < patience) {
      bench.settle();
      bench.expect_equal(bench->room_o, progress.taken - progress.left < kBuffers, "room");
      bench->taken_i = progress.taken < count && bench->room_o && (hurried || bench.random.chance(2));
      if (bench->taken_i) loads_at.push_back(bench.cycles() + 2);
      bench->loaded_i = !loads_at.empty() && loads_at.front() == bench.cycles();
      bench->quotient_i = !divides_at.empty() && divides_at.front() == bench.cycles();
      bench.settle();
      if (bench->loaded_i) bench.expect_equal(bench->load_buffer_o, progress.loaded % kBuffers, "buffer of a load");
      if (bench->quotient_i) bench.expect_equal(bench->quotient_buffer_o, progress.divided % kBuffers, "buffer");

      const unsigned bits = bench->control_o;
      const bool valid = bits >> 4 & 1;
      const unsigned slots = sizes.slots(scale);
      bench.expect(valid || product == 0, "pause in a phase");
      if (valid) {
        if (product == 0) {
          whole = bits & 1;
          if (!whole) begins.push_back(bench.cycles());
          const bool ready = scale || whole || progress.divided == progress.summed;
          bench.expect(whole ? progress.left < progress.divided : progress.summed < progress.loaded && ready, "ready");
        }
        const unsigned length = whole ? sizes.lift_residues() : sum;
        const unsigned slot = product % slots, step = product / slots;
        const unsigned first_word = whole ? sizes.lift_sum() : scale ? sizes.lift_sum() + sizes.lift_residues() : 0;
        const bool last = product + 1 == length;
        const Control expected{true, slot == 0, slot + 1 == slots, whole || step == 0, whole};
        bench.expect_equal(bits, expected.bits(), "control");
        bench.expect_equal(bench->slot_o, slot, "slot");
        bench.expect_equal(bench->word_o, first_word + product, "constant");
        bench.expect_equal(bench->buffer_o, (whole ? progress.left : progress.summed) % kBuffers, "buffer");
        bench.expect_equal(bench->ends_o, last, "end");
        product = last ? 0 : product + 1;
        if (last && !whole && !scale) divides_at.push_back(bench.cycles() + delay);
        progress.summed += last && !whole;
        progress.left += last && (whole || scale);
        progress.divided += last && scale;
      }
      progress.taken += bench->taken_i;
      progress.loaded += bench->loaded_i;
      if (bench->loaded_i) loads_at.pop_front();
      if (bench->quotient_i) {
        ++progress.divided;
        divides_at.pop_front();
      }
      bench.step();
    }
    bench.expect_equal(progress.left, count, "coefficients that left");
    // Two cycles from a quotient to the next sum's first product.
    const unsigned lift = sum + std::max(sizes.lift_residues(), delay + 1);
    for (std::size_t i = 3; hurried && i < begins.size(); ++i) {
      bench.expect_equal(begins[i] - begins[i - 1], scale ? sizes.scale_interval() : lift, "cycles between sums");
    }
    before = count;
    bench->taken_i = bench->loaded_i = bench->quotient_i = 0;
    for (unsigned i = 0; i < sizes.scale_interval(); ++i) bench.step();
  }
}
