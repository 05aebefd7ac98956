// core_check beside the data sheet: random states, descriptors that are right for the most part; each error occurs.

#include "../check.h"

namespace {

using namespace core;

template <class Model>
void random_state(ringmill::Bench<Model>& bench, State& state) {
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  std::uint64_t loaded = 0, full = 0, rows = 0;
  unsigned tables = 0;
  for (unsigned slot = 0; slot < state.slots; ++slot) {
    state.moduli[slot].reset();
    const auto modulus = static_cast<std::uint64_t>(bench.random.edgy((ringmill::Wide{1} << width) - 1)) | 1;
    put_bits(bench->moduli_i, slot * width, width, modulus);
    if (!bench.random.chance(90)) continue;
    state.moduli[slot] = modulus;
    loaded |= 1ULL << slot;
  }
  for (unsigned buffer = 0; buffer < state.limbs; ++buffer) {
    state.tags[buffer].reset();
    const auto tag = static_cast<unsigned>(bench.random.below(state.slots));
    put_bits(bench->tags_i, 4 * buffer, 4, tag);
    const bool has_rows = bench.random.chance(40);
    if (has_rows) rows |= 1ULL << buffer;
    if (!bench.random.chance(85)) continue;
    state.tags[buffer] = has_rows ? State::kRows : tag;
    full |= 1ULL << buffer;
  }
  for (unsigned table = 0; table < state.tables.size(); ++table) {
    const Shape shape = random_shape(bench.random);
    put_bits(bench->shapes_i, 14 * table, 14, bits_of(shape));
    state.tables[table].reset();
    if (!bench.random.chance(90)) continue;
    state.tables[table] = shape;
    tables |= 1U << table;
  }
  bench->tables_i = tables;
  bench->rows_i = rows;
  bench->loaded_i = loaded;
  bench->full_i = full;
  random_window(bench, state);
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  State state(bench);
  std::array<unsigned, 20> seen{};
  for (unsigned i = 0; i < 40000; ++i) {
    random_state(bench, state);
    const Descriptor descriptor = random_descriptor(bench, state);
    put_descriptor(bench->descriptor_i, descriptor);
    bench.step();
    bench.step();
    const unsigned error = error_of(descriptor, state);
    ++seen[error];
    bench.expect_equal(bench->error_o, error, "error of opcode " + std::to_string(descriptor.opcode));
    if (error != 0) continue;
    bench.expect(instruction_of(bench->instruction_o) == instruction_of_descriptor(descriptor), "instruction");
    if (descriptor.opcode == WAIT || descriptor.opcode == INTERRUPT) continue;
    bench.expect_equal(bench->unit_o, unit_of(descriptor), "unit");
    bench.expect_equal(bench->uses_o, uses_of(descriptor, state), "buffers");
    bench.expect_equal(bench->writes_o, mask_of(written_of(descriptor, state)), "buffers that are written");
  }
  for (unsigned error = 0; error < seen.size(); ++error) {
    // A shift, and rows.
    const bool possible = error > 10 ? error == ROWS && state.engine == XOR_BANKS
                                     : error != 10 || state.engine == XOR_BANKS;
    bench.expect((seen[error] > 5) == possible, "error " + std::to_string(error) + " occurs");
  }
}
