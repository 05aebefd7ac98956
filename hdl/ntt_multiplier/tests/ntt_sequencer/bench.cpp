// ntt_sequencer beside the timetable of the schedule's definition: every read of every job, its addresses, factor,
// classes and buffers, under random arrival of inputs and release of results.

#include "../schedule.h"
#include "bench.h"

namespace {

using namespace ringmill;

/// What the sequencer stands between.
struct Surroundings {
  unsigned filling = 0;        // next input buffer to be filled
  unsigned running = 0;        // input buffer of the next job
  unsigned full = 0;
  unsigned two_products = 0;
  unsigned results = 0;        // number of the next product
  unsigned unsent = 0;         // results whose buffers are not free
};

unsigned factor_address(const Ring& ring, const Slot& slot) {
  const unsigned pass = ring.slots();
  if (slot.bit == 0 && !slot.inverse) {
    return (slot.product == 0 ? ring.log_n - 1 : 2 * ring.log_n) * pass + 2 * slot.slot + slot.second;
  }
  return (slot.inverse ? ring.log_n + 1 + slot.bit : ring.log_n - 1 - slot.bit) * pass + slot.slot;
}

template <class Model>
void check_addresses(Bench<Model>& bench, const Ring& ring, const Slot& slot) {
  const unsigned width = ring.bank_bits();
  for (unsigned bank = 0; bank < 2 * ring.units(); ++bank) {
    unsigned address = bench->base_o;
    for (unsigned a = 0; a < 12; ++a) address ^= (bench->mask_o >> a & bank >> (a % width) & 1) << a;
    const std::uint64_t index = index_of(ring, slot.bit, slot.slot, bank);
    bench.expect_equal(address, address_of(ring, index), "address in bank " + std::to_string(bank));
    const bool upper = (bank >> (slot.bit % width) & 1) != bench->parity_o;
    bench.expect_equal(index >> slot.bit & 1, upper, "which of a pair bank " + std::to_string(bank) + " holds");
  }
}

/// One read against the timetable; `is_last` in the job's.
template <class Model>
void check_slot(Bench<Model>& bench, const Ring& ring, const Slot& slot, unsigned input, unsigned products,
                const Surroundings& world) {
  const bool is_fused = slot.bit == 0 && !slot.inverse;
  const bool from_input = !slot.inverse && slot.bit == ring.log_n - 1;
  const bool to_result = slot.inverse && slot.bit == ring.log_n - 2;
  const bool ends_pass = slot.slot == ring.slots() - 1 && (!is_fused || slot.second);
  check_addresses(bench, ring, slot);
  bench.expect_equal(bench->factor_o, factor_address(ring, slot), "address of the factors");
  bench.expect_equal(bench->pair_class_o, slot.bit % ring.bank_bits(), "class");
  bench.expect_equal(bench->from_input_o, from_input, "read of the input memory");
  bench.expect_equal(bench->to_result_o, to_result, "write of the result memory");
  bench.expect_equal(bench->read_region_o, from_input ? input : slot.inverse, "region that is read");
  const unsigned buffers = static_cast<unsigned>(bench.parameter("ResultBuffers"));
  bench.expect_equal(bench->write_region_o & (to_result ? buffers - 1 : 3U),
                     to_result ? world.results % buffers : slot.inverse || is_fused, "region that is written");
  bench.expect_equal(bench->fused_o, is_fused, "product by a fixed operand");
  if (is_fused) bench.expect_equal(bench->second_o, slot.second, "second cycle of a slot");
  bench.expect_equal(bench->first_o, from_input && slot.slot == 0, "first read of a job");
  bench.expect_equal(bench->last_o, to_result && ends_pass, "last read of a product");
  if (bench->last_o) bench.expect_equal(bench->last_of_job_o, slot.product + 1 == products, "last product of a job");
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const Ring ring = shape_of(bench);
  const auto buffers = static_cast<unsigned>(bench.parameter("ResultBuffers"));
  const std::vector<Slot> tables[] = {timetable(ring, 1), timetable(ring, 2)};
  Surroundings world;
  bench->input_full_i = 0;
  bench->result_free_i = 0;
  bench.reset();
  const std::vector<Slot>* job = nullptr;
  std::size_t next = 0;
  std::uint64_t begin = 0;
  unsigned input = 0;
  unsigned jobs = 0;
  for (unsigned waiting = 0; jobs < 24 && waiting < 20000; ++waiting) {
    if (((world.full >> world.filling) & 1) == 0 && bench.random.chance(2)) {
      world.full |= 1U << world.filling;
      world.two_products = (world.two_products & ~(1U << world.filling))
          | static_cast<unsigned>(bench.random.below(2)) << world.filling;
      world.filling ^= 1;
    }
    const bool frees = world.unsent != 0 && bench.random.chance(1);
    bench->input_full_i = world.full;
    bench->input_double_i = world.two_products;
    bench->result_free_i = frees;
    bench.settle();
    world.full &= ~bench->input_free_o;
    const unsigned unsent = world.unsent;
    world.unsent -= frees;
    bench.step();
    if (!bench->valid_o) {
      bench.expect(job == nullptr || (*job)[next].cycle + begin > bench.cycles(), "a read is late");
      continue;
    }
    waiting = 0;
    if (job == nullptr) {
      input = world.running;
      job = &tables[world.two_products >> input & 1];
      begin = bench.cycles();
      next = 0;
      bench.expect(unsent + 1 + (job == &tables[1]) <= buffers, "a job starts without buffers for its results");
    }
    const Slot& slot = (*job)[next];
    bench.expect_equal(bench.cycles() - begin, slot.cycle, "cycle of a read");
    check_slot(bench, ring, slot, input, job == &tables[1] ? 2 : 1, world);
    if (bench->last_o) {
      ++world.results;
      ++world.unsent;
    }
    if (++next != job->size()) continue;
    job = nullptr;
    world.running ^= 1;
    ++jobs;
  }
  bench.expect_equal(jobs, 24, "jobs");
}
