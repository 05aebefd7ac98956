// xor_banks_sequencer beside the timetable: every slot's cycle, places, factor and operation, in both directions.

#include "../ports.h"
#include "../timetable.h"

namespace {

using namespace xor_banks;

/// The address of a Fermat ring's factor.
std::uint64_t factor_of(const Shape& shape, const Pass& pass, const Read& read, std::uint64_t index, bool inverse) {
  std::uint64_t address = 0;
  for (const Dimension& dimension : shape.dimensions) {
    if (dimension.low == pass.dimension.low) break;
    address += dimension.order() / 2 * 3;
  }
  const std::uint64_t order = pass.dimension.order(), place = index >> pass.dimension.low & (order - 1);
  const std::uint64_t half = std::uint64_t{1} << (pass.bit - pass.dimension.low);
  if (pass.work == Work::kTable) {
    address += (place & ~std::uint64_t{1}) + read.second;
  } else {
    address += order + place % half * (order / 2 / half);
  }
  return 2 * address + inverse;
}

template <class Model>
void check_operation(ringmill::Bench<Model>& bench, const Pass& pass, bool second) {
  const bool twice = pass.slot_cycles() == 2, scale = pass.work == Work::kScale;
  const bool decimate = pass.work == Work::kDecimate || (scale && second);
  bench.expect_equal(bench->decimate_o, decimate, "decimate");
  bench.expect_equal(bench->combine_o, pass.work == Work::kCombine, "combine");
  bench.expect_equal(bench->scale_sum_o, twice && !second, "scale the sum");
  bench.expect_equal(bench->scale_difference_o, pass.work == Work::kTable && second, "scale the difference");
  // A table's slot writes both results at its end, a scaling one u first and v then.
  bench.expect_equal(bench->write_upper_o, !twice || second != scale, "write u");
  bench.expect_equal(bench->write_lower_o, !twice || second, "write v");
  if (bench->write_upper_o) bench.expect_equal(bench->product_upper_o, scale, "whether the product is u's");
}

template <class Model>
void check_read(ringmill::Bench<Model>& bench, const Shape& shape, const Pass& pass, const Read& read) {
  const auto by_bank = indices(shape, pass, read.slot);
  bench.expect_equal(bench->pair_class_o, pass.bit % shape.bank_bits(), "class");
  for (unsigned bank = 0; bank < shape.banks(); ++bank) {
    unsigned address = 0;
    for (unsigned a = 0; a < shape.slot_bits(); ++a) {
      const unsigned version = bank >> a % shape.bank_bits() & 1 ? bench->address_one_o : bench->address_zero_o;
      address |= version & 1U << a;
    }
    bench.expect_equal(address, shape.address(by_bank[bank]), "address in bank " + std::to_string(bank));
    const bool is_v = (bank >> bench->pair_class_o & 1) != bench->parity_o;
    bench.expect_equal(is_v, by_bank[bank] >> pass.bit & 1, "whether v is in bank " + std::to_string(bank));
  }
}

/// A unit inverts a bit of the factor's address if the bit's class is one, and its bank has that bit.
template <class Model>
void check_factors(ringmill::Bench<Model>& bench, const Shape& shape, const Pass& pass, const Read& read,
                   bool inverse) {
  const auto by_bank = indices(shape, pass, read.slot);
  const unsigned no_class = 15;
  for (unsigned unit = 0; unit < shape.units(); ++unit) {
    std::uint64_t address = bench->factor_o;
    for (unsigned b = 0; b < 11; ++b) {
      const auto of_class = word_of(bench->factor_class_o, b, 8);
      if (of_class != no_class) address ^= std::uint64_t{own_bank(unit) >> of_class & 1} << b;
    }
    bench.expect_equal(address, factor_of(shape, pass, read, by_bank[own_bank(unit)], inverse),
                       "factor of unit " + std::to_string(unit));
  }
}

template <class Model>
void check_transform(ringmill::Bench<Model>& bench, const Shape& shape, bool inverse, std::uint64_t first_count) {
  const Timetable table = timetable(shape, inverse, static_cast<unsigned>(bench.parameter("Latency")));
  bench->start_i = 1;
  bench->inverse_i = inverse;
  bench.step();
  bench->start_i = 0;
  bench->inverse_i = !inverse;
  std::size_t next = 0;
  const auto quiet = [&] {
    bench.expect(!bench->valid_o && !bench->write_upper_o && !bench->write_lower_o && !bench->last_o, "quiet");
  };
  for (unsigned i = 0; i < 2; ++i, bench.step()) quiet();
  for (unsigned cycle = 0; next < table.reads.size(); ++cycle, bench.step()) {
    const Read& read = table.reads[next];
    if (read.cycle != cycle) {
      quiet();
      continue;
    }
    const Pass& pass = table.passes[read.pass];
    bench.expect_equal(bench->valid_o, 1, "slot");
    bench.expect_equal(bench->first_o, read.pass == 0, "first pass");
    check_read(bench, shape, pass, read);
    check_operation(bench, pass, read.second);
    if (shape.fermat()) check_factors(bench, shape, pass, read, inverse);
    if (!shape.fermat()) bench.expect_equal(bench->factor_o, first_count + next, "factor");
    bench.expect_equal(bench->last_o, ++next == table.reads.size(), "last");
  }
  for (unsigned i = bench.random.chance(50) ? 5 : 0; i > 0; --i, bench.step()) quiet();
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const Shape shape = shape_of(bench);
  bench->start_i = 0;
  bench.reset();
  const std::uint64_t forward_reads = timetable(shape, false, 0).reads.size();
  for (unsigned i = 0; i < 4; ++i) check_transform(bench, shape, i % 2 == 1, i % 2 == 1 ? forward_reads : 0);
}
