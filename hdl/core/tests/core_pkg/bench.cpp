// core_pkg beside the data sheet: the bytes of a descriptor, the words of a block.

#include "../constants.h"
#include "../instruction.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using core::bits;
  for (unsigned i = 0; i < 100; ++i) {
    for (unsigned word = 0; word < 4; ++word) core::put_bits(bench->bytes_i, 64 * word, 64, bench.random.word());
    bench.settle();
    const auto& bytes = bench->bytes_i;
    const std::uint64_t fields[] = {bench->opcode_o, bench->operation_o, bench->destination_o, bench->a_o,
                                    bench->b_o,      bench->slot_o,      bench->count_o,       bench->top_o};
    for (unsigned byte = 0; byte < 8; ++byte) bench.expect_equal(fields[byte], bits(bytes, 8 * byte, 8), "field");
    bench.expect_equal(bench->immediate_o, bits(bytes, 64, 64), "immediate");
    bench.expect_equal(bits(bench->unused_o, 0, 64), bits(bytes, 128, 64), "word 2");
    bench.expect_equal(bits(bench->unused_o, 64, 64), bits(bytes, 192, 64), "word 3");
  }
  bench.expect_equal(bench->block_words_o, core::block_words(bench), "words of a block");
  bench.expect_equal(bench->instruction_bits_o, core::Instruction::kWidth, "bits of an instruction");
}
