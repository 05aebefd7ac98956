// The whole NTT multiplier beside schoolbook products modulo x^n + 1: jobs alone, in streams, under back-pressure, of
// mixed kinds, after packets of wrong length; its registers; its cycles.

#include "machine.h"

namespace {

using namespace ringmill;

/// Two operands and jobs with them.
template <class Model>
class Jobs {
 public:
  Jobs(Bench<Model>& bench, const Ring& ring) : bench_(bench), ring_(ring) {}

  Words operand[2];

  Words polynomial() {
    Words words(ring_.n());
    for (auto& word : words) word = static_cast<std::uint64_t>(bench_.random.edgy(ring_.modulus));
    return words;
  }

  /// The packet of a job, whose results are due.
  Words job(unsigned products) { return job(products, polynomial()); }
  Words job(unsigned products, const Words& words) {
    for (unsigned i = 0; i < products; ++i) {
      const Words product = negacyclic_product(ring_, words, operand[i]);
      due_.insert(due_.end(), product.begin(), product.end());
      is_last_.push_back(i + 1 == products);
    }
    return words;
  }

  std::size_t due() const { return due_.size(); }

  /// Compares what came with what is due, and forgets both.
  void check(Machine<Model>& machine) {
    const std::size_t beats = ring_.n() / bench_.parameter("LinkWords");
    bench_.expect_equal(machine.sink.received.size(), beats * is_last_.size(), "beats of the results");
    for (std::size_t i = 0; i < machine.sink.received.size() && i / beats < is_last_.size(); ++i) {
      const bool last = is_last_[i / beats] && i % beats == beats - 1;
      if (machine.sink.received[i].last != last) bench_.expect(false, "TLAST on beat " + std::to_string(i));
    }
    const Words words = machine.take();
    for (std::size_t i = 0; i < std::min(words.size(), due_.size()); ++i) {
      bench_.expect_equal(words[i], due_[i], "word " + std::to_string(i) + " of the results");
    }
    due_.clear();
    is_last_.clear();
  }

 private:
  Bench<Model>& bench_;
  const Ring& ring_;
  Words due_;
  std::vector<bool> is_last_;
};

template <class Model>
void run_until_done(Bench<Model>& bench, Machine<Model>& machine, const Jobs<Model>& jobs) {
  const std::size_t beats = jobs.due() / bench.parameter("LinkWords");
  for (unsigned idle = 0; machine.sink.received.size() < beats && idle < 100000; ++idle) {
    const std::size_t before = machine.sink.received.size();
    machine.cycle();
    if (machine.sink.received.size() != before) idle = 0;
  }
  machine.wait_until_idle();
}

template <class Model>
void check_registers(Bench<Model>& bench, Machine<Model>& machine, const Ring& ring) {
  const unsigned link = bit_length(bench.parameter("LinkWords")) - 1;
  bench.expect_equal(machine.read(kId), 0x524d4e54, "ID");
  bench.expect_equal(machine.read(kVersion), 1, "VERSION");
  const unsigned shape = ring.word_bits() << 24 | link << 16 | ring.log_units << 8 | ring.log_n;
  bench.expect_equal(machine.read(kShape), shape, "SHAPE");
  bench.expect_equal(machine.read(kStatus), kIdle, "STATUS after reset");
  bench.expect_equal(machine.read(kMode), kRun, "MODE after reset");
  bench.expect_equal(machine.read(kProducts), 1, "PRODUCTS after reset");
  for (const std::uint32_t address : {kId, kVersion, kShape, kStatus, kCyclesLow, kJobs, kLastLatency}) {
    machine.write(address, 1, 2);
  }
  machine.write(0x44, 1, 2);
  bench.expect_equal(machine.read_raw(0x44).code, 2, "answer to the read of a register that is not there");
  machine.write(kMode, 5, 2);
  machine.write(kProducts, 0, 2);
  machine.write(kProducts, 3, 2);
  machine.write(kModulus, 17, 2, 0x7);
  bench.expect_equal(machine.read(kMode), kRun, "MODE after a wrong value");
  bench.expect_equal(machine.read(kStatus), kIdle, "STATUS after refused writes");
}

/// One job after the other, the words of some all equal.
template <class Model>
void check_latency(Bench<Model>& bench, Machine<Model>& machine, const Ring& ring, Jobs<Model>& jobs) {
  for (unsigned i = 0; i < 6; ++i) {
    const unsigned products = 1 + i % 2;
    const Words words = i < 2 ? jobs.polynomial() : Words(ring.n(), i < 4 ? 0 : ring.modulus - 1);
    machine.write(kProducts, products);
    machine.write(kControl, 1);
    machine.send(jobs.job(products, words));
    run_until_done(bench, machine, jobs);
    jobs.check(machine);
    const unsigned latency = machine.read(kLastLatency);
    bench.expect_equal(latency, job_cycles(ring, products), "LAST_LATENCY");
    bench.expect_equal(machine.read(kComputeCycles), latency, "COMPUTE_CYCLES of one job");
    if (ring.log_n == 10 && ring.log_units == 6 && ring.pipeline == 0) {
      bench.expect(latency <= (products == 1 ? 250 : 260), "the paper's latency");
    }
  }
}

/// Jobs without pauses. A machine that computes faster than the link moves words is bound by the link alone.
template <class Model>
void check_throughput(Bench<Model>& bench, Machine<Model>& machine, const Ring& ring, Jobs<Model>& jobs,
                      unsigned products) {
  const std::uint64_t beats = ring.n() / bench.parameter("LinkWords") * products;
  const unsigned count = 6;
  machine.write(kProducts, products);
  machine.write(kControl, 1);
  for (unsigned i = 0; i < count; ++i) machine.send(jobs.job(products));
  std::vector<std::uint64_t> ends;
  while (ends.size() < count && bench.cycles() < 100000000) {
    const std::size_t before = machine.sink.received.size();
    machine.cycle();
    if (machine.sink.received.size() != before && machine.sink.received.back().last) ends.push_back(bench.cycles());
  }
  machine.wait_until_idle();
  jobs.check(machine);
  const std::uint64_t compute = job_cycles(ring, products);
  const unsigned turn = threads(ring);
  // The result buffers hold so many jobs, each from its start until its last word has left. Where every thread has room
  // for a job beside one that leaves, the computation never waits for the link.
  const std::uint64_t room = bench.parameter("ResultBuffers") / products;
  const std::uint64_t stay = std::max(job_cycles(ring, 1) + beats, compute + beats / products) + 40;
  const std::uint64_t most = compute + (room >= 2 * turn ? 4 : beats + 40);
  for (unsigned i = 2; i < count; ++i) {
    if (stay < room * beats && compute / turn + 40 < beats) {
      bench.expect_equal(ends[i] - ends[i - 1], beats, "cycles between streamed jobs");
    } else {
      bench.expect(ends[i] - ends[i - turn] <= most, "computation without pauses");
    }
  }
  bench.expect_equal(machine.read(kLastLatency), compute, "LAST_LATENCY in a stream");
  bench.expect_equal(machine.read(kJobs), count, "JOBS");
  bench.expect_equal(machine.read(kInBeats), count * beats / products, "IN_BEATS");
  bench.expect_equal(machine.read(kOutBeats), count * beats, "OUT_BEATS");
}

/// Jobs of both kinds with pauses on both sides; the kind changes as soon as the last packet has left.
template <class Model>
void check_mixture(Bench<Model>& bench, Machine<Model>& machine, Jobs<Model>& jobs, unsigned count) {
  machine.wait_until_idle();
  machine.write(kControl, 1);
  machine.in_stalls = machine.out_stalls = 0;
  for (unsigned i = 0; i < count; ++i) {
    machine.source.percent = 20 + static_cast<unsigned>(bench.random.below(81));
    machine.sink.percent = 20 + static_cast<unsigned>(bench.random.below(81));
    const unsigned products = 1 + static_cast<unsigned>(bench.random.below(2));
    machine.write(kProducts, products);
    machine.send(jobs.job(products));
    while (!machine.source.queue.empty()) machine.cycle();
  }
  run_until_done(bench, machine, jobs);
  jobs.check(machine);
  machine.source.percent = machine.sink.percent = 100;
  bench.expect_equal(machine.read(kJobs), count, "JOBS of a mixture");
  bench.expect_equal(machine.read(kInStalls), machine.in_stalls, "IN_STALLS");
  bench.expect_equal(machine.read(kOutStalls), machine.out_stalls, "OUT_STALLS");
  bench.expect_equal(machine.read(kStatus), kIdle, "STATUS after a mixture");
}

/// Packets that are too short or too long between good ones, and tables cut short.
template <class Model>
void check_wrong_lengths(Bench<Model>& bench, Machine<Model>& machine, const Ring& ring, Jobs<Model>& jobs) {
  const auto beat = static_cast<std::size_t>(bench.parameter("LinkWords"));
  const auto whole = static_cast<std::size_t>(ring.n());
  machine.write(kProducts, 1);
  for (const std::size_t length : {beat, whole - beat, whole + beat, 2 * whole}) {
    machine.write(kControl, 1);
    Words wrong = jobs.polynomial();
    wrong.resize(length, 1);
    machine.send(jobs.job(1));
    machine.send(wrong);
    machine.send(jobs.job(1));
    machine.send(jobs.job(1));
    run_until_done(bench, machine, jobs);
    jobs.check(machine);
    bench.expect_equal(machine.read(kStatus), kIdle | kLengthError, "STATUS after a wrong packet");
    bench.expect_equal(machine.read(kJobs), 3, "JOBS beside a wrong packet");
  }
  machine.write(kControl, 1);
  bench.expect_equal(machine.read(kStatus), kIdle, "STATUS after clearing");
  jobs.operand[0] = jobs.polynomial();
  jobs.operand[1] = jobs.polynomial();
  const Words table = operand_packet(ring, values_of(ring, jobs.operand[0]), values_of(ring, jobs.operand[1]));
  machine.load(kOperands, Words(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(3 * beat)));
  bench.expect_equal(machine.read(kStatus), kIdle | kLengthError, "STATUS after a short table");
  machine.load(kOperands, table);
  machine.write(kControl, 1);
  bench.expect_equal(machine.read(kStatus), kIdle, "STATUS after the whole table");
}

/// Configuration while busy is refused.
template <class Model>
void check_busy(Bench<Model>& bench, Machine<Model>& machine, const Ring& ring, Jobs<Model>& jobs) {
  machine.write(kProducts, 2);
  machine.send(jobs.job(2));
  for (unsigned i = 0; i < 40; ++i) machine.cycle();
  machine.write(kMode, kFactors, 2);
  machine.write(kModulus, 12289, 2);
  bench.expect_equal(machine.read(kStatus) & kBusyError, kBusyError, "STATUS after configuration while busy");
  run_until_done(bench, machine, jobs);
  jobs.check(machine);
  bench.expect_equal(machine.read(kMode), kRun, "MODE that was refused");
  bench.expect_equal(machine.read(kModulus), ring.modulus, "MODULUS that was refused");
  machine.write(kControl, 1);
  bench.expect_equal(machine.read(kStatus), kIdle, "STATUS after clearing");
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  Machine<Model> machine(bench);
  bench.reset();
  bool first = true;
  for (const unsigned bits : {22U, 27U, 32U}) {
    const Ring ring = shape_of(bench, bits);
    if (first) check_registers(bench, machine, ring);
    first = false;
    Jobs<Model> jobs(bench, ring);
    jobs.operand[0] = jobs.polynomial();
    jobs.operand[1] = jobs.polynomial();
    machine.configure(ring, jobs.operand[0], jobs.operand[1]);
    check_latency(bench, machine, ring, jobs);
    check_mixture(bench, machine, jobs, 8);
    if (bits != 32) continue;
    check_throughput(bench, machine, ring, jobs, 1);
    check_throughput(bench, machine, ring, jobs, 2);
    check_wrong_lengths(bench, machine, ring, jobs);
    check_mixture(bench, machine, jobs, 8);
    check_busy(bench, machine, ring, jobs);
  }
}
