// The sizes of paper 4, and a target's unit above its product.

#include "bench.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  // From the last of the sizes up: multipliers, bits of a word, words of a result, pieces of a group, lengths, chunks, coefficients.
  const std::uint64_t sizes[] = {4, 120, 1600, 9, 200, 25, 5, 40, 5};
  for (unsigned target = 0; target < 16; ++target) {
    bench->unit_i = target >> 2;
    bench->product_i = target & 3;
    bench.settle();
    bench.expect_equal(bench->target_o, target, "target");
  }
  for (unsigned size = 0; size < 9; ++size) {
    bench.expect_equal(xor_banks::word_of(bench->sizes_o, size, 32), sizes[size], "size " + std::to_string(size));
  }
}
