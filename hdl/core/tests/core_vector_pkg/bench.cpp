// core_vector_pkg beside the data sheet: what a lane does for each instruction, the index bits of an automorphism's
// slots, and cycles within its bounds.

#include "../../../ntt_engine/xor_banks/tests/shape.h"
#include "latency.h"

namespace {

enum Lane : unsigned { kAdd, kSubtract, kNegate, kMultiply, kScale, kFill, kMove };

template <class Model>
void check_operation(ringmill::Bench<Model>& bench, unsigned opcode, unsigned operation, Lane lane) {
  bench->opcode_i = opcode;
  bench->operation_i = operation;
  bench.settle();
  bench.expect_equal(bench->lane_operation_o, lane, "lane's operation for opcode " + ringmill::text(opcode));
  const bool takes_b = lane == kAdd || lane == kSubtract || lane == kMultiply;
  bench.expect_equal(bench->takes_b_o, takes_b, "second operand of operation " + std::to_string(lane));
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const auto log2 = [&](const char* name) { return ringmill::bit_length(number(name)) - 1; };
  const xor_banks::Shape shape(log2("N"), log2("Units"), true);
  for (unsigned operation = kAdd; operation <= kFill; ++operation) {
    check_operation(bench, 0x20, operation, static_cast<Lane>(operation));
  }
  check_operation(bench, 0x21, 0, kMultiply);
  check_operation(bench, 0x22, 0, kMove);

  const unsigned field = shape.dimensions.front().length;
  bench.expect_equal(bench->largest_field_o, field, "bits of the largest field");
  for (unsigned m = 0; m < shape.log_n; ++m) {
    bench->index_bit_i = m;
    bench.settle();
    bench.expect_equal(bench->told_apart_o, field - shape.bank_bits() <= m && m < field,
                       "whether banks tell apart bit " + std::to_string(m));
  }

  const unsigned width = number("Width"), word = number("Word"), pipeline = number("Pipeline");
  const unsigned lane =
      ringmill::integer_multiplier_latency(width, pipeline) + ringmill::montgomery_latency(width, word, pipeline) + 3;
  const unsigned network = pipeline == 0 ? (shape.bank_bits() + 1) / 2 : shape.bank_bits();
  bench.expect_equal(bench->lane_latency_o, lane, "latency of a lane");
  bench.expect_equal(bench->network_latency_o, network, "latency of the network");
  bench.expect_equal(bench->write_latency_o, 2 + lane + network, "cycles from read to write");
  for (const unsigned terms : {1, 2, 31}) {
    bench->terms_i = terms;
    bench.settle();
    bench.expect_equal(bench->cycles_o, terms * shape.slots() + 4 + lane + network, "cycles of an instruction");
    bench.expect(width > 50 || bench->cycles_o <= terms * shape.slots() + 32, "cycles within the data sheet's");
  }
}
