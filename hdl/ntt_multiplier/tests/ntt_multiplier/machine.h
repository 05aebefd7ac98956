// The whole NTT multiplier at its ports: registers, link, tables and jobs, beside schoolbook products.

#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "../schedule.h"
#include "axi_lite.h"
#include "stream.h"

namespace ringmill {

enum Register : std::uint32_t {
  kId = 0x00, kVersion = 0x04, kShape = 0x08, kControl = 0x0c, kStatus = 0x10, kModulus = 0x14, kMode = 0x18,
  kProducts = 0x1c, kCyclesLow = 0x20, kCyclesHigh = 0x24, kJobs = 0x28, kInBeats = 0x2c, kOutBeats = 0x30,
  kComputeCycles = 0x34, kInStalls = 0x38, kOutStalls = 0x3c, kLastLatency = 0x40,
};
enum Mode : std::uint32_t { kRun = 0, kInputScale = 1, kOutputScale = 2, kFactors = 3, kOperands = 4 };
enum Status : std::uint32_t { kIdle = 1, kLengthError = 2, kBusyError = 4 };


template <class Model>
class Machine {
  using In = std::remove_reference_t<decltype(std::declval<Model&>().in_tdata_i)>;
  using Out = std::remove_reference_t<decltype(std::declval<Model&>().out_tdata_o)>;

 public:
  explicit Machine(Bench<Model>& bench)
      : bench_(bench), link_words_(static_cast<unsigned>(bench.parameter("LinkWords"))), master_(bench, 8),
        source(bench->in_tvalid_i, bench->in_tready_o, bench->in_tdata_i, bench.random, &bench->in_tlast_i),
        sink(bench->out_tvalid_o, bench->out_tready_i, bench->out_tdata_o, bench.random, &bench->out_tlast_o) {
    source.percent = sink.percent = 100;
    source.drive();
    sink.drive();
  }

 private:
  Bench<Model>& bench_;
  unsigned link_words_;
  AxiLiteMaster<Model> master_;

 public:
  Source<In> source;
  Sink<Out> sink;
  /// What the counters must have counted.
  std::uint32_t in_stalls = 0, out_stalls = 0;

  void cycle() {
    source.drive();
    sink.drive();
    master_.drive();
    bench_.settle();
    in_stalls += bench_->in_tvalid_i && !bench_->in_tready_o;
    out_stalls += bench_->out_tvalid_o && !bench_->out_tready_i;
    source.sample();
    sink.sample();
    master_.sample();
    bench_.step();
  }

  Response read_raw(std::uint32_t address) {
    master_.start_read(address);
    while (master_.is_reading()) cycle();
    return master_.read_response();
  }
  std::uint32_t read(std::uint32_t address) {
    const Response response = read_raw(address);
    bench_.expect_equal(response.code, 0, "answer to the read of " + text(address));
    return response.data;
  }
  void write(std::uint32_t address, std::uint32_t data, unsigned code = 0, unsigned strobe = 0xf) {
    master_.start_write(address, data, strobe);
    while (master_.is_writing()) cycle();
    bench_.expect_equal(master_.write_response().code, code, "answer to the write of " + text(address));
  }

  void wait_until_idle() {
    unsigned patience = 100000;
    while ((read(kStatus) & kIdle) == 0 && --patience != 0) {}
    bench_.expect(patience != 0, "the machine becomes idle");
  }

  /// Queues a packet; TLAST is on its last beat.
  void send(const Words& words) {
    for (std::size_t i = 0; i < words.size(); i += link_words_) {
      Beat beat;
      for (unsigned j = 0; j < link_words_; ++j) beat.data |= static_cast<Wide>(words[i + j]) << (32 * j);
      beat.last = i + link_words_ >= words.size();
      source.queue.push_back(beat);
    }
  }

  void load(Mode mode, const Words& words) {
    wait_until_idle();
    write(kMode, mode);
    send(words);
    while (!source.queue.empty()) cycle();
    wait_until_idle();
    write(kMode, kRun);
  }

  /// Loads modulus, scales, transforms and both operands.
  void configure(const Ring& ring, const Words& operand0, const Words& operand1) {
    wait_until_idle();
    write(kModulus, static_cast<std::uint32_t>(ring.modulus));
    load(kInputScale, input_scale(ring));
    load(kOutputScale, output_scale(ring));
    load(kFactors, factor_packet(ring, values_of(ring, operand0), values_of(ring, operand1)));
  }

  /// The words received since the last call.
  Words take() {
    Words words;
    for (const Beat& beat : sink.received) {
      for (unsigned j = 0; j < link_words_; ++j) words.push_back(static_cast<std::uint32_t>(beat.data >> (32 * j)));
    }
    sink.received.clear();
    return words;
  }
};

}  // namespace ringmill
