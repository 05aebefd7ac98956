// axi_lite_registers in front of a register file in this bench: values, strobes and errors under all orders of the
// channels, one access a transaction, both directions at once, and transactions that overlap.

#include "axi_lite.h"

namespace {

/// Registers behind the port; the upper half of the addresses does not exist.
template <class Model>
class RegisterFile {
 public:
  RegisterFile(ringmill::Bench<Model>& bench, std::size_t words) : words_(words), bench_(bench) {}

  std::vector<std::uint32_t> values() const { return words_; }
  unsigned writes = 0;
  unsigned reads = 0;

  /// Answers the port in this cycle and takes its write at the edge that follows.
  void serve() {
    Model& model = bench_.model();
    bench_.settle();
    const std::size_t from = model.read_address_o / 4, to = model.write_address_o / 4;
    model.read_error_i = from >= words_.size();
    model.read_data_i = model.read_error_i ? 0xdeadbeef : words_[from];
    model.write_error_i = to >= words_.size();
    bench_.settle();
    reads += model.read_o;
    writes += model.write_o;
    if (!model.write_o || model.write_error_i) return;
    for (unsigned byte = 0; byte < 4; ++byte) {
      if ((model.write_strobe_o >> byte & 1) == 0) continue;
      const std::uint32_t bits = 0xffU << (8 * byte);
      words_[to] = (words_[to] & ~bits) | (model.write_data_o & bits);
    }
  }

 private:
  std::vector<std::uint32_t> words_;
  ringmill::Bench<Model>& bench_;
};

/// Transactions one after the other, a read beside a write.
template <class Model>
void check_single(ringmill::Bench<Model>& bench, RegisterFile<Model>& file) {
  const auto width = static_cast<unsigned>(bench.parameter("AddressWidth"));
  const ringmill::Wide bytes = ringmill::Wide{1} << width;
  std::vector<std::uint32_t> expected = file.values();
  ringmill::AxiLiteMaster<Model> master(bench, width);
  for (int i = 0; i < 8000; ++i) {
    master.patience = i / 1000;
    // A read beside the write goes to another register: their order is not defined.
    const auto to = static_cast<std::uint32_t>(bench.random.below(bytes));
    const auto from = static_cast<std::uint32_t>(bench.random.below(bytes));
    const bool reads = bench.random.chance(60) && to / 4 != from / 4;
    const auto data = static_cast<std::uint32_t>(bench.random.word());
    const auto strobe = static_cast<unsigned>(bench.random.below(16));
    const unsigned writes_before = file.writes, reads_before = file.reads;
    if (reads) master.start_read(from);
    const ringmill::Response written = master.write(to, data, strobe);
    while (master.is_reading()) ringmill::stream_cycle(bench, master);
    bench.expect_equal(file.writes - writes_before, 1, "writes that the file saw");
    bench.expect_equal(file.reads - reads_before, reads, "reads that the file saw");

    const bool exists = to / 4 < expected.size();
    bench.expect_equal(written.code, exists ? 0 : 2, "answer to the write of " + ringmill::text(to));
    for (unsigned byte = 0; exists && byte < 4; ++byte) {
      const std::uint32_t bits = (strobe >> byte & 1) ? 0xffU << (8 * byte) : 0;
      expected[to / 4] = (expected[to / 4] & ~bits) | (data & bits);
    }
    if (!reads) continue;
    const ringmill::Response answer = master.read_response();
    const bool known = from / 4 < expected.size();
    bench.expect_equal(answer.code, known ? 0 : 2, "answer to the read of " + ringmill::text(from));
    if (known) bench.expect_equal(answer.data, expected[from / 4], "register " + ringmill::text(from));
  }
  bench.expect(file.values() == expected, "registers differ");
}

/// Addresses and data as fast as the port takes them, before earlier responses are taken: all in order.
template <class Model>
void check_overlapping(ringmill::Bench<Model>& bench, RegisterFile<Model>& file, unsigned pace) {
  using ringmill::Sink;
  using ringmill::Source;
  Source aw(bench->axi_awvalid_i, bench->axi_awready_o, bench->axi_awaddr_i, bench.random);
  Source w(bench->axi_wvalid_i, bench->axi_wready_o, bench->axi_wdata_i, bench.random);
  Source ar(bench->axi_arvalid_i, bench->axi_arready_o, bench->axi_araddr_i, bench.random);
  Sink b(bench->axi_bvalid_o, bench->axi_bready_i, bench->axi_bresp_o, bench.random);
  Sink r(bench->axi_rvalid_o, bench->axi_rready_i, bench->axi_rdata_o, bench.random);
  std::vector<std::uint32_t> expected = file.values();
  const std::size_t count = 2 * expected.size();
  bench->axi_wstrb_i = 0xf;
  for (std::size_t word = 0; word < count; ++word) {
    const auto data = static_cast<std::uint32_t>(bench.random.word());
    aw.queue.push_back({word * 4});
    w.queue.push_back({data});
    if (word < expected.size()) expected[word] = data;
  }
  aw.percent = w.percent = ar.percent = pace;
  b.percent = r.percent = 100 - pace / 2;
  for (int i = 0; i < 100000 && b.received.size() < count; ++i) ringmill::stream_cycle(bench, aw, w, b);
  bench.expect(file.values() == expected, "registers differ after overlapping writes");
  for (std::size_t word = 0; word < count; ++word) ar.queue.push_back({word * 4});
  for (int i = 0; i < 100000 && r.received.size() < count; ++i) ringmill::stream_cycle(bench, ar, r);
  bench.expect_equal(b.received.size(), count, "answers to overlapping writes");
  bench.expect_equal(r.received.size(), count, "answers to overlapping reads");
  for (std::size_t word = 0; word < std::min(b.received.size(), r.received.size()); ++word) {
    const bool exists = word < expected.size();
    bench.expect_equal(b.received[word].data, exists ? 0 : 2, "answer to write " + std::to_string(word));
    if (exists) bench.expect_equal(r.received[word].data, expected[word], "register " + std::to_string(word));
  }
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  RegisterFile<Model> file(bench, (std::size_t{1} << bench.parameter("AddressWidth")) / 8);
  bench.before_edge = [&] { file.serve(); };
  bench->axi_awvalid_i = bench->axi_wvalid_i = bench->axi_arvalid_i = 0;
  bench.reset();
  check_single(bench, file);
  for (const unsigned pace : {100, 70, 20}) check_overlapping(bench, file, pace);
}
