// job_memory: jobs come with pauses, up to two ahead; bits and errors of the right one are read.

#include <deque>
#include <vector>

#include "../big.h"

namespace {

struct Job {
  std::vector<std::vector<bool>> bits;
  std::vector<int> errors;
  std::vector<resident::Big> beats;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto parameter = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const unsigned places = parameter("Places"), bits = parameter("Bits"), errors = parameter("Errors"),
                 error_width = parameter("ErrorWidth"), width = parameter("BeatWidth");
  const auto random = [&] {
    Job job;
    const auto add = [&](unsigned& at, bool bit) {
      if (at++ % width == 0) job.beats.emplace_back();
      job.beats.back() = job.beats.back() + (resident::Big(bit) << (at - 1) % width);
    };
    for (unsigned place = 0; place < places; ++place) {
      unsigned at = 0;
      job.bits.emplace_back();
      for (unsigned i = 0; i < bits; ++i) {
        job.bits.back().push_back(bench.random.chance(50));
        add(at, job.bits.back().back());
      }
    }
    unsigned at = 0;
    for (unsigned i = 0; i < errors; ++i) {
      const int half = 1 << (error_width - 1);
      job.errors.push_back(static_cast<int>(bench.random.below(2 * static_cast<unsigned>(half))) - half);
      for (unsigned bit = 0; bit < error_width; ++bit) add(at, job.errors.back() >> bit & 1);
    }
    return job;
  };
  bench->valid_i = 0;
  bench->start_i = 0;
  bench->done_i = 0;
  bench->read_i = 0;
  bench->place_i = 0;
  bench.reset();
  // Jobs that are not done: of these some have come whole, some have started.
  std::deque<Job> jobs;
  unsigned whole = 0, started = 0, sent = 0, finished = 0;
  bool offered = false;
  for (unsigned cycle = 0; cycle < 40000; ++cycle) {
    const bool full = whole == 2;
    if (!full && jobs.size() == whole) jobs.push_back(random());
    if (!offered) offered = bench.random.chance(70);
    bench->valid_i = offered;
    if (offered) resident::put(bench->data_i, 0, width, jobs.size() > whole ? jobs[whole].beats[sent] : resident::Big(0));
    bench->start_i = started < whole && bench.random.chance(20);
    bench->done_i = started == 2 || (started == 1 && bench.random.chance(1));
    const unsigned place = static_cast<unsigned>(bench.random.below(places)), index = static_cast<unsigned>(bench.random.below(errors));
    bench->place_i = static_cast<std::remove_reference_t<decltype(bench->place_i)>>(place);
    bench->read_i = bench.random.chance(70);
    bench->error_index_i = static_cast<std::remove_reference_t<decltype(bench->error_index_i)>>(index);
    bench.settle();
    bench.expect_equal(bench->ready_o, !full, "room");
    bench.expect_equal(bench->loaded_o, started < whole, "a job waits");
    const bool takes = bench->valid_i && bench->ready_o, start = bench->start_i, done = bench->done_i, read = bench->read_i;
    const std::vector<bool> expected_bits = started > 0 ? jobs[started - 1].bits[place] : std::vector<bool>();
    const int expected_error = started > 0 ? jobs[0].errors[index] : 0;
    const bool reads = started > 0 && read, has_bits = started > 0;
    bench.step();
    if (has_bits) {
      for (unsigned i = 0; i < bits; ++i) {
        resident::expect_big(bench, resident::get(bench->bits_o, i, 1), resident::Big(expected_bits[i]), "bit " + std::to_string(i));
      }
    }
    if (reads) {
      const auto got = resident::get(bench->error_o, 0, error_width);
      resident::expect_big(bench, got, resident::Big(expected_error).low(error_width), "error " + std::to_string(index));
    }
    if (takes) {
      offered = false;
      if (++sent == jobs[whole].beats.size()) {
        sent = 0;
        ++whole;
      }
    }
    if (start) ++started;
    if (done) {
      jobs.pop_front();
      --whole;
      --started;
      ++finished;
    }
  }
  bench.expect(finished > 5, "some jobs");
}
