// axi_lite_registers in front of a register file in this bench: values, strobes and errors under all orders of the
// channels, one access a transaction, both directions at once.

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

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto width = static_cast<unsigned>(bench.parameter("AddressWidth"));
  const ringmill::Wide bytes = ringmill::Wide{1} << width;
  RegisterFile<Model> file(bench, static_cast<std::size_t>(bytes / 8));
  std::vector<std::uint32_t> expected = file.values();
  ringmill::AxiLiteMaster<Model> master(bench, width);
  bench.before_edge = [&] { file.serve(); };
  bench.reset();
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
