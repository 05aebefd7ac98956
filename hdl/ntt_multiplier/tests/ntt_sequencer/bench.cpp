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
  unsigned results = 0;        // number of the first product of the next job
  unsigned unsent = 0;         // products of jobs that have started, whose buffers are not free
  unsigned computed = 0;       // those of them that are there
};

/// A thread's job, or none.
struct Job {
  const std::vector<Slot>* table = nullptr;
  std::size_t next = 0;
  std::uint64_t begin = 0;
  unsigned input = 0;
  unsigned products = 0;
  unsigned result = 0;         // number of its first product
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

/// One read against the timetable.
template <class Model>
void check_slot(Bench<Model>& bench, const Ring& ring, const Job& job) {
  const Slot& slot = (*job.table)[job.next];
  const unsigned thread = bench->thread_o;
  const bool is_fused = slot.bit == 0 && !slot.inverse;
  const bool from_input = !slot.inverse && slot.bit == ring.log_n - 1;
  const bool to_result = slot.inverse && slot.bit == ring.log_n - 2;
  const bool ends_pass = slot.slot == ring.slots() - 1 && (!is_fused || slot.second);
  check_addresses(bench, ring, slot);
  bench.expect_equal(bench->factor_o, factor_address(ring, slot), "address of the factors");
  bench.expect_equal(bench->pair_class_o, slot.bit % ring.bank_bits(), "class");
  bench.expect_equal(bench->from_input_o, from_input, "read of the input memory");
  bench.expect_equal(bench->to_result_o, to_result, "write of the result memory");
  bench.expect_equal(bench->read_region_o, from_input ? job.input : 2 * thread + slot.inverse, "region that is read");
  const unsigned buffers = static_cast<unsigned>(bench.parameter("ResultBuffers"));
  bench.expect_equal(bench->write_region_o & (to_result ? buffers - 1 : 3U),
                     to_result ? (job.result + slot.product) % buffers : 2 * thread + (slot.inverse || is_fused),
                     "region that is written");
  bench.expect_equal(bench->fused_o, is_fused, "product by a fixed operand");
  if (is_fused) bench.expect_equal(bench->second_o, slot.second, "second cycle of a slot");
  bench.expect_equal(bench->first_o, from_input && slot.slot == 0, "first read of a job");
  bench.expect_equal(bench->last_o, to_result && ends_pass, "last read of a product");
  if (!bench->last_o) return;
  bench.expect_equal(bench->last_of_job_o, slot.product + 1 == job.products, "last product of a job");
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
  Job running[2];
  unsigned jobs = 0;
  unsigned together = 0;
  for (unsigned waiting = 0; jobs < 24 && waiting < 20000; ++waiting) {
    if (((world.full >> world.filling) & 1) == 0 && bench.random.chance(2)) {
      world.full |= 1U << world.filling;
      world.two_products = (world.two_products & ~(1U << world.filling))
          | static_cast<unsigned>(bench.random.below(2)) << world.filling;
      world.filling ^= 1;
    }
    const bool frees = world.computed != 0 && bench.random.chance(1);
    bench->input_full_i = world.full;
    bench->input_double_i = world.two_products;
    bench->result_free_i = frees;
    bench.settle();
    world.full &= ~bench->input_free_o;
    const unsigned unsent = world.unsent;
    world.unsent -= frees;
    world.computed -= frees;
    bench.step();
    for (const Job& job : running) {
      const bool due = job.table != nullptr && (*job.table)[job.next].cycle + job.begin <= bench.cycles();
      bench.expect(!due || (bench->valid_o && &job == &running[bench->thread_o]), "a read is late");
    }
    if (!bench->valid_o) continue;
    waiting = 0;
    bench.expect(bench->thread_o < threads(ring), "a thread that is not there");
    Job& job = running[bench->thread_o];
    if (job.table == nullptr) {
      const unsigned products = 1 + (world.two_products >> world.running & 1);
      job = {&tables[products - 1], 0, bench.cycles(), world.running, products, world.results};
      bench.expect(unsent + products <= buffers, "a job starts without buffers for its results");
      world.running ^= 1;
      world.results += products;
      world.unsent += products;
    }
    together += running[0].table != nullptr && running[1].table != nullptr;
    bench.expect_equal(bench.cycles() - job.begin, (*job.table)[job.next].cycle, "cycle of a read");
    check_slot(bench, ring, job);
    world.computed += bench->last_o;
    if (++job.next != job.table->size()) continue;
    job = {};
    ++jobs;
  }
  bench.expect_equal(jobs, 24, "jobs");
  bench.expect(together != 0 || threads(ring) == 1, "two jobs take turns");
}
