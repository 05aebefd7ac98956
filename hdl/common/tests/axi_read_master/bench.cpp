// axi_read_master before a memory: the beats of random requests in order, with their tags, ends and errors, under
// pauses of all channels, slow memories and errors; nothing else is read; the bursts keep to AXI4; cycles.

#include "axi_memory.h"
#include "stream.h"

namespace {

/// A request, and how many of its beats have come.
struct Request {
  std::uint64_t address;
  std::uint64_t beats;
  bool tag;
  std::uint64_t come = 0;
};

/// Offers requests and checks their data.
template <class Model>
class Client {
 public:
  Client(ringmill::Bench<Model>& bench, ringmill::AxiMemory& memory)
      : bench_(bench), memory_(memory), bytes_(static_cast<unsigned>(bench.parameter("DataWidth") / 8)) {}

  std::deque<Request> queue;
  unsigned request_percent = 100;
  unsigned data_percent = 100;

  bool is_done() const { return queue.empty() && under_way_.empty(); }

  void drive() {
    offered_ = offered_ || (!queue.empty() && bench_.random.chance(request_percent));
    bench_->request_valid_i = offered_;
    const Request request = offered_ ? queue.front() : Request{0, 1, bench_.random.chance(50)};
    ringmill::put(bench_->request_address_i, request.address);
    bench_->request_beats_i = static_cast<std::uint32_t>(request.beats);
    bench_->request_tag_i = request.tag;
    bench_->data_ready_i = bench_.random.chance(data_percent);
  }

  void sample() {
    if (bench_->data_valid_o && bench_->data_ready_i) check_beat();
    if (!offered_ || !bench_->request_ready_o) return;
    under_way_.push_back(queue.front());
    queue.pop_front();
    offered_ = false;
  }

 private:
  void check_beat() {
    bench_.expect(!under_way_.empty(), "data that nobody asked for");
    if (under_way_.empty()) return;
    Request& request = under_way_.front();
    const std::uint64_t address = request.address + request.come * bytes_;
    ++request.come;
    const bool failed = memory_.fails(address);
    const ringmill::AxiWords words = ringmill::words_of(bench_->data_o);
    bench_.expect_equal(bench_->data_error_o, failed, "error of " + ringmill::text(address));
    bench_.expect_equal(bench_->data_tag_o, request.tag, "tag of " + ringmill::text(address));
    bench_.expect_equal(bench_->data_last_o, request.come == request.beats, "last of " + ringmill::text(address));
    for (unsigned byte = 0; !failed && byte < bytes_; byte += 8) {
      bench_.expect_equal(words[byte / 8], memory_.word(address + byte), "word at " + ringmill::text(address + byte));
    }
    if (request.come == request.beats) under_way_.pop_front();
  }

  ringmill::Bench<Model>& bench_;
  ringmill::AxiMemory& memory_;
  unsigned bytes_;
  std::deque<Request> under_way_;
  bool offered_ = false;
};

/// The cycles until all data of the client's requests has come.
template <class Model>
std::uint64_t serve(ringmill::Bench<Model>& bench, Client<Model>& client, ringmill::AxiMemory& memory) {
  ringmill::AxiPort<Model> port(bench.model(), memory);
  const std::uint64_t begin = bench.cycles();
  while (!client.is_done() && bench.cycles() - begin < 200000) ringmill::stream_cycle(bench, port, client);
  bench.expect(client.is_done(), "data is missing");
  const std::uint64_t cycles = bench.cycles() - begin;
  for (int i = 0; i < 50; ++i) ringmill::stream_cycle(bench, port, client);
  bench.expect(memory.is_idle(), "more was read than asked for");
  bench.expect(memory.breach().empty(), memory.breach());
  return cycles;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const std::uint64_t bytes = bench.parameter("DataWidth") / 8;
  const std::uint64_t burst = bench.parameter("BurstBeats") * bytes;
  const std::uint64_t outstanding = bench.parameter("Outstanding");
  constexpr std::uint64_t SPACE = 1 << 18, BASE = 0x7ffe0000, middle = BASE + SPACE / 2;
  ringmill::AxiMemory memory(static_cast<unsigned>(bytes), bench.random);
  for (std::uint64_t at = BASE; at < BASE + SPACE; at += 8) memory.set_word(at, bench.random.word());
  bench->request_valid_i = 0;
  bench->axi_arready_i = bench->axi_rvalid_i = 0;
  bench.reset();
  Client<Model> client(bench, memory);

  // All paces of both ends, fast and slow memories, without and with errors.
  for (const unsigned pauses : {0, 30, 80}) {
    for (const unsigned percent : {100, 60, 15}) {
      for (const bool failing : {false, true}) {
        const auto latency = static_cast<std::uint64_t>(bench.random.below(40));
        memory.timing = {latency, pauses == 30 ? bytes / 2 + 1 : 0, 1, pauses};
        memory.errors.clear();
        if (failing) memory.errors = {{middle - 5000, middle}, {middle + 4096, middle + 4096 + 8}};
        client.request_percent = client.data_percent = percent;
        for (int i = 0; i < 40; ++i) {
          const auto beats = 1 + static_cast<std::uint64_t>(bench.random.below(bench.random.chance(20) ? 300 : 20));
          const auto at = static_cast<std::uint64_t>(bench.random.edgy(SPACE - beats * bytes)) / bytes * bytes;
          client.queue.push_back({BASE + at, beats, bench.random.chance(50)});
        }
        serve(bench, client, memory);
      }
    }
  }

  // A memory without pauses: 2 cycles to ARVALID, its latency, 1 to the stream, and a beat every cycle as long as the
  // other bursts under way last for the latency and the 2 cycles from a burst's last beat to the next ARVALID.
  memory.errors.clear();
  client.request_percent = client.data_percent = 100;
  const std::uint64_t covered = bench.parameter("BurstBeats") * (outstanding - 1) - 2;
  for (const std::uint64_t latency : {std::uint64_t{1}, covered}) {
    for (const std::uint64_t beats : {1, 1000}) {
      memory.timing = {latency};
      client.queue.push_back({BASE, beats, true});
      bench.expect_equal(serve(bench, client, memory), 2 + latency + 1 + beats, "cycles of " + std::to_string(beats) +
                         " beats, latency " + std::to_string(latency));
    }
  }
  memory.timing = {covered + 1};
  client.queue.push_back({BASE, 1000, true});
  bench.expect(serve(bench, client, memory) > 2 + covered + 1 + 1 + 1000, "fewer bursts than these cover the latency");
  memory.timing = {1, bytes, 3};
  client.queue.push_back({BASE, 1000, true});
  // Two beats move at once: that much bandwidth is saved from before.
  bench.expect_equal(serve(bench, client, memory), 2 + 1 + 1 + 1 + 3 * 998, "cycles at a third of the bus' bandwidth");
  memory.timing = {10 * covered};
  client.queue.push_back({BASE + 4096 - burst / 2, 1000, true});
  serve(bench, client, memory);
  bench.expect_equal(memory.most_reads(), outstanding, "bursts under way");
}
