// axi_write_master before a memory: random requests write their data and nothing else, each is done once, with its
// error, under pauses of all channels, slow memories and errors; an address is offered before its data, and data does
// not wait for it to be taken; the bursts keep to AXI4; cycles on a fast memory.

#include "axi_memory.h"
#include "stream.h"

namespace {

struct Request {
  std::uint64_t address;
  std::uint64_t beats;
};

/// Offers requests and their data, and checks what is done.
template <class Model>
class Client {
 public:
  Client(ringmill::Bench<Model>& bench, ringmill::AxiMemory& memory)
      : bench_(bench), memory_(memory), bytes_(static_cast<unsigned>(bench.parameter("DataWidth") / 8)) {}

  unsigned request_percent = 100;
  unsigned data_percent = 100;

  bool is_done() const { return queue_.empty() && under_way_.empty(); }

  void push(Request request) {
    queue_.push_back(request);
    for (std::uint64_t beat = 0; beat < request.beats; ++beat) {
      data_.push_back(random_words());
      written_.push_back({request.address + beat * bytes_, data_.back()});
    }
  }

  void drive() {
    request_offered_ = request_offered_ || (!queue_.empty() && bench_.random.chance(request_percent));
    bench_->request_valid_i = request_offered_;
    const Request request = request_offered_ ? queue_.front() : Request{0, 1};
    ringmill::put(bench_->request_address_i, request.address);
    bench_->request_beats_i = static_cast<std::uint32_t>(request.beats);
    data_offered_ = data_offered_ || (!data_.empty() && bench_.random.chance(data_percent));
    bench_->data_valid_i = data_offered_;
    ringmill::put_words(bench_->data_i, data_offered_ ? data_.front() : random_words());
  }

  void sample() {
    bursts_ += bench_->axi_awvalid_o && !address_stood_;
    address_stood_ = bench_->axi_awvalid_o && !bench_->axi_awready_i;
    bench_.expect(!bench_->axi_wvalid_o || bursts_ > lasts_, "data is offered before its address");
    lasts_ += bench_->axi_wvalid_o && bench_->axi_wready_i && bench_->axi_wlast_o;
    if (bench_->done_o) check_done();
    if (data_offered_ && bench_->data_ready_o) {
      data_.pop_front();
      data_offered_ = false;
    }
    if (!request_offered_ || !bench_->request_ready_o) return;
    under_way_.push_back(queue_.front());
    queue_.pop_front();
    request_offered_ = false;
  }

 private:
  ringmill::AxiWords random_words() {
    ringmill::AxiWords words{};
    for (std::uint64_t& word : words) word = bench_.random.word();
    return words;
  }

  void check_done() {
    bench_.expect(!under_way_.empty(), "done without a request");
    if (under_way_.empty()) return;
    bool failed = false;
    for (std::uint64_t beat = 0; beat < under_way_.front().beats; ++beat) {
      const auto [address, words] = written_.front();
      written_.pop_front();
      const bool beat_failed = memory_.fails(address);
      failed |= beat_failed;
      for (unsigned byte = 0; !beat_failed && byte < bytes_; byte += 8) {
        bench_.expect_equal(memory_.word(address + byte), words[byte / 8], "word at " + ringmill::text(address + byte));
      }
    }
    bench_.expect_equal(bench_->error_o, failed, "error of " + ringmill::text(under_way_.front().address));
    under_way_.pop_front();
  }

  ringmill::Bench<Model>& bench_;
  ringmill::AxiMemory& memory_;
  unsigned bytes_;
  std::deque<Request> queue_;
  std::deque<Request> under_way_;
  std::deque<ringmill::AxiWords> data_;
  std::deque<std::pair<std::uint64_t, ringmill::AxiWords>> written_;
  std::uint64_t bursts_ = 0;
  std::uint64_t lasts_ = 0;
  bool address_stood_ = false;
  bool request_offered_ = false;
  bool data_offered_ = false;
};

/// The cycles until all of the client's requests are done.
template <class Model>
std::uint64_t serve(ringmill::Bench<Model>& bench, Client<Model>& client, ringmill::AxiMemory& memory) {
  ringmill::AxiPort<Model> port(bench.model(), memory);
  const std::uint64_t begin = bench.cycles();
  while (!client.is_done() && bench.cycles() - begin < 200000) ringmill::stream_cycle(bench, port, client);
  bench.expect(client.is_done(), "requests that are not done");
  const std::uint64_t cycles = bench.cycles() - begin;
  for (int i = 0; i < 50; ++i) ringmill::stream_cycle(bench, port, client);
  bench.expect(memory.is_idle(), "more was written than asked for");
  bench.expect(memory.breach().empty(), memory.breach());
  return cycles;
}

/// A memory that takes an address only when its data is offered, as AXI allows.
template <class Model>
void check_late_address(ringmill::Bench<Model>& bench) {
  bench->request_valid_i = bench->data_valid_i = 1;
  bench->request_beats_i = 1;
  ringmill::put(bench->request_address_i, 0);
  bench->axi_awready_i = bench->axi_wready_i = bench->axi_bvalid_i = 0;
  for (int i = 0; i < 10; ++i) {
    bench.step();
    if (bench->axi_awvalid_o) bench->request_valid_i = 0;
  }
  bench.expect(bench->axi_awvalid_o && bench->axi_wvalid_o && bench->axi_wlast_o, "data waits for AWREADY");
  bench.reset();
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const std::uint64_t bytes = bench.parameter("DataWidth") / 8;
  const std::uint64_t outstanding = bench.parameter("Outstanding");
  constexpr std::uint64_t SPACE = 1 << 18, BASE = 0x7ffe0000, middle = BASE + SPACE / 2;
  ringmill::AxiMemory memory(static_cast<unsigned>(bytes), bench.random);
  bench->request_valid_i = bench->data_valid_i = 0;
  bench->axi_awready_i = bench->axi_wready_i = bench->axi_bvalid_i = 0;
  bench.reset();
  check_late_address(bench);
  Client<Model> client(bench, memory);

  // All paces of both ends, fast and slow memories, without and with errors. Requests do not overlap.
  for (const unsigned pauses : {0, 30, 80}) {
    for (const unsigned percent : {100, 60, 15}) {
      for (const bool failing : {false, true}) {
        const auto latency = static_cast<std::uint64_t>(bench.random.below(40));
        memory.timing = {latency, pauses == 30 ? bytes / 2 + 1 : 0, 1, pauses};
        memory.errors.clear();
        if (failing) memory.errors = {{middle - 5000, middle}, {middle + 4096, middle + 4096 + 8}};
        client.request_percent = client.data_percent = percent;
        std::uint64_t at = middle - 64 * bytes;
        for (int i = 0; i < 40; ++i) {
          const auto beats = 1 + static_cast<std::uint64_t>(bench.random.below(bench.random.chance(20) ? 300 : 20));
          client.push({at, beats});
          at += beats * bytes + static_cast<std::uint64_t>(bench.random.below(50)) * bytes;
        }
        serve(bench, client, memory);
      }
    }
  }

  // A memory without pauses: 3 cycles from the request to WVALID, a beat every cycle as long as the other bursts under
  // way last for the latency and 2 cycles, the latency, and 1 to done.
  memory.errors.clear();
  client.request_percent = client.data_percent = 100;
  const std::uint64_t covered = bench.parameter("BurstBeats") * (outstanding - 1) - 2;
  for (const std::uint64_t latency : {std::uint64_t{1}, covered}) {
    for (const std::uint64_t beats : {1, 1000}) {
      memory.timing = {latency};
      client.push({BASE, beats});
      bench.expect_equal(serve(bench, client, memory), 3 + beats + latency + 1, "cycles of " + std::to_string(beats) +
                         " beats, latency " + std::to_string(latency));
    }
  }
  memory.timing = {covered + 1};
  client.push({BASE, 1000});
  bench.expect(serve(bench, client, memory) > 3 + 1000 + covered + 1 + 1, "fewer bursts than these cover the latency");
  memory.timing = {10 * covered};
  client.push({BASE + 4096 - 2 * bytes, 1000});
  serve(bench, client, memory);
  bench.expect_equal(memory.most_writes(), outstanding, "bursts under way");
}
