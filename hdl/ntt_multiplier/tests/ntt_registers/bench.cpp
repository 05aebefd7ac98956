// ntt_registers beside counts of this bench: configuration, refusals, sticky errors, counters, measured latency.

#include "axi_lite.h"

namespace {

using namespace ringmill;

/// What the counters must say, by the address of their register.
struct Counts {
  std::uint32_t jobs = 0, in_beats = 0, out_beats = 0, compute = 0, in_stalls = 0, out_stalls = 0;
};

/// Random events of a cycle, counted.
template <class Model>
void drive_events(Bench<Model>& bench, Counts& counts) {
  const bool in_valid = bench.random.chance(50), in_ready = bench.random.chance(50);
  const bool out_valid = bench.random.chance(50), out_ready = bench.random.chance(50), last = bench.random.chance(20);
  bench->in_valid_i = in_valid;
  bench->in_ready_i = in_ready;
  bench->out_valid_i = out_valid;
  bench->out_ready_i = out_ready;
  bench->out_last_i = last;
  counts.in_beats += in_valid && in_ready;
  counts.in_stalls += in_valid && !in_ready;
  counts.out_beats += out_valid && out_ready;
  counts.out_stalls += out_valid && !out_ready;
  counts.jobs += out_valid && out_ready && last;
}

template <class Model>
void silence(Bench<Model>& bench) {
  bench->length_error_i = bench->first_i = bench->issued_i = bench->done_i = 0;
  bench->in_valid_i = bench->in_ready_i = bench->out_valid_i = bench->out_ready_i = bench->out_last_i = 0;
}

template <class Model>
void expect_register(Bench<Model>& bench, AxiLiteMaster<Model>& master, std::uint32_t address, std::uint32_t expected) {
  const Response response = master.read(address);
  bench.expect_equal(response.code, 0, "answer to the read of " + text(address));
  bench.expect_equal(response.data, expected, "register " + text(address));
}

template <class Model>
void check_configuration(Bench<Model>& bench, AxiLiteMaster<Model>& master) {
  const auto write = [&](std::uint32_t address, std::uint32_t data, unsigned code, unsigned strobe = 0xf) {
    bench.expect_equal(master.write(address, data, strobe).code, code, "answer to the write of " + text(address));
  };
  for (unsigned i = 0; i < 50; ++i) {
    const auto modulus = static_cast<std::uint32_t>(bench.random.word());
    const auto mode = static_cast<std::uint32_t>(bench.random.below(8));
    const auto products = static_cast<std::uint32_t>(bench.random.below(4));
    const std::uint32_t mode_before = bench->mode_o, products_before = bench->double_o + 1;
    write(0x14, modulus, 0);
    write(0x18, mode, mode > 4 ? 2 : 0);
    write(0x1c, products, products == 1 || products == 2 ? 0 : 2);
    bench.expect_equal(bench->modulus_o, modulus, "modulus");
    bench.expect_equal(bench->mode_o, mode > 4 ? mode_before : mode, "mode");
    bench.expect_equal(bench->double_o + 1, products == 1 || products == 2 ? products : products_before, "products");
    expect_register(bench, master, 0x14, modulus);
    expect_register(bench, master, 0x18, bench->mode_o);
    expect_register(bench, master, 0x1c, bench->double_o + 1);
    write(0x14, ~modulus, 2, 0xe);
    bench.expect_equal(bench->modulus_o, modulus, "modulus after a write of a part");
  }
  // All but CONTROL, MODULUS, MODE and PRODUCTS.
  for (std::uint32_t address = 0; address < 0x100; address += 4) {
    if (address != 0x0c && (address < 0x14 || address > 0x1c)) write(address, 1, 2);
  }
  expect_register(bench, master, 0x0c, 0);
  for (const std::uint32_t address : {0x44, 0x80, 0xfc}) {
    bench.expect_equal(master.read(address).code, 2, "answer to the read of " + text(address));
  }
}

template <class Model>
void check_errors(Bench<Model>& bench, AxiLiteMaster<Model>& master) {
  const std::uint32_t modulus = bench->modulus_o, mode = bench->mode_o;
  bench->busy_i = 1;
  expect_register(bench, master, 0x10, 0);
  bench.expect_equal(master.write(0x14, ~modulus).code, 2, "answer to MODULUS while busy");
  expect_register(bench, master, 0x10, 4);
  bench.expect_equal(master.write(0x0c, 1).code, 0, "answer to CONTROL");
  bench.expect_equal(master.write(0x18, mode ^ 1).code, 2, "answer to MODE while busy");
  bench.expect_equal(master.write(0x1c, 2).code, 0, "answer to PRODUCTS while busy");
  bench->length_error_i = 1;
  bench.step();
  bench->length_error_i = 0;
  expect_register(bench, master, 0x10, 6);
  bench->busy_i = 0;
  expect_register(bench, master, 0x10, 7);
  bench.expect_equal(bench->modulus_o, modulus, "modulus that was refused");
  bench.expect_equal(bench->mode_o, mode, "mode that was refused");
  master.write(0x0c, 0);
  expect_register(bench, master, 0x10, 7);
  master.write(0x0c, 1);
  expect_register(bench, master, 0x10, 1);
}

/// Jobs of one thread, of random lengths; the next may start before the results of the last.
template <class Model>
std::uint32_t run_jobs(Bench<Model>& bench, Counts& counts, unsigned thread) {
  constexpr unsigned kTail = 6;
  std::uint32_t latency = 0;
  for (unsigned job = 0; job < 20; ++job) {
    const auto issues = 20 + static_cast<unsigned>(bench.random.below(300));
    for (unsigned i = 0; i < issues; ++i) {
      drive_events(bench, counts);
      bench->first_i = (i == 0) << thread;
      bench->issued_i = (i == issues - 1) << thread;
      bench->done_i = (job != 0 && i == kTail - 3) << thread;
      counts.compute += 1;
      bench.step();
    }
    latency = issues + kTail;
    silence(bench);
    // Two cycles between the reads of two jobs; the last one's results come after all of its reads.
    for (unsigned i = 0; i < (job == 19 ? kTail : 2); ++i) {
      bench->done_i = (job == 19 && i == kTail - 1) << thread;
      counts.compute += 1;
      bench.step();
    }
    silence(bench);
  }
  return latency;
}

/// A job of each thread: the second starts later and is done first. Latencies are their own.
template <class Model>
void check_overlap(Bench<Model>& bench, AxiLiteMaster<Model>& master) {
  const unsigned first[] = {0, 5}, issued[] = {50, 25}, done[] = {70, 40};
  master.write(0x0c, 1);
  for (unsigned i = 0; i <= 70; ++i) {
    bench->first_i = (i == first[0]) | (i == first[1]) << 1;
    bench->issued_i = (i == issued[0]) | (i == issued[1]) << 1;
    bench->done_i = (i == done[0]) | (i == done[1]) << 1;
    bench.settle();
    bench.expect(bench->computing_o, "a job computes");
    bench.step();
  }
  silence(bench);
  bench.settle();
  bench.expect(!bench->computing_o, "no job computes");
  expect_register(bench, master, 0x34, 71);
  expect_register(bench, master, 0x40, 71);
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  AxiLiteMaster<Model> master(bench, 8);
  silence(bench);
  bench->busy_i = 0;
  bench.reset();
  const auto log_of = [&](const char* name) { return bit_length(bench.parameter(name)) - 1; };
  expect_register(bench, master, 0x00, 0x524d4e54);
  expect_register(bench, master, 0x04, 1);
  expect_register(bench, master, 0x08,
                  (log_of("N") + 1) << 24 | log_of("LinkWords") << 16 | log_of("Units") << 8 | log_of("N"));
  check_configuration(bench, master);
  check_errors(bench, master);

  Counts counts;
  master.write(0x0c, 1);
  const auto threads = static_cast<unsigned>(bench.parameter("Threads"));
  std::uint32_t latency = 0;
  for (unsigned thread = 0; thread < threads; ++thread) latency = run_jobs(bench, counts, thread);
  expect_register(bench, master, 0x28, counts.jobs);
  expect_register(bench, master, 0x2c, counts.in_beats);
  expect_register(bench, master, 0x30, counts.out_beats);
  expect_register(bench, master, 0x34, counts.compute);
  expect_register(bench, master, 0x38, counts.in_stalls);
  expect_register(bench, master, 0x3c, counts.out_stalls);
  expect_register(bench, master, 0x40, latency);

  if (threads == 2) check_overlap(bench, master);
  master.write(0x0c, 1);

  // Two reads at a known distance.
  const std::uint64_t before = bench.cycles();
  const std::uint32_t first = master.read(0x20).data;
  const std::uint64_t between = bench.cycles();
  for (unsigned i = 0; i < 1000; ++i) bench.step();
  const std::uint32_t second = master.read(0x20).data;
  bench.expect_equal(second - first, between - before + 1000, "CYCLES");
  expect_register(bench, master, 0x24, 0);
  master.write(0x0c, 1);
  bench.expect(master.read(0x20).data < 20, "CYCLES after clearing");
  expect_register(bench, master, 0x28, 0);
}
