// A memory behind an AXI4 port, for benches and simulations: it answers in order, after a latency, at a bandwidth, with
// random pauses and with errors in chosen ranges, and notes what breaks the protocol.
//
// AxiMemory knows no model. Each cycle: begin_cycle() sets its signals, end_cycle() takes the master's; AxiPort copies
// them to and from a model's ports axi_ar*, axi_r*, axi_aw*, axi_w*, axi_b*, as far as it has them.

#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "random.h"
#include "verilated.h"

namespace ringmill {

/// The bytes of a beat, as words of 64 bits; narrower buses use the first ones.
using AxiWords = std::array<std::uint64_t, 4>;

/// The value of a data port of a model.
template <class Port>
AxiWords words_of(const Port& port) {
  AxiWords words{};
  if constexpr (std::is_integral_v<Port>) {
    words[0] = port;
  } else {
    for (std::size_t i = 0; i < sizeof(port) / sizeof(EData); ++i) {
      words[i / 2] |= std::uint64_t{port[i]} << 32 * (i % 2);
    }
  }
  return words;
}

/// Sets a data port of a model.
template <class Port>
void put_words(Port& port, const AxiWords& words) {
  if constexpr (std::is_integral_v<Port>) {
    port = words[0];
  } else {
    for (std::size_t i = 0; i < sizeof(port) / sizeof(EData); ++i) {
      port[i] = static_cast<EData>(words[i / 2] >> 32 * (i % 2));
    }
  }
}

/// The signals of an address channel.
struct AxiAddress {
  bool valid = false;
  bool ready = false;
  std::uint64_t address = 0;
  unsigned length = 0;  // beats less one
  unsigned size = 0;    // log2 of a beat's bytes
  unsigned burst = 0;   // 1: addresses go up

  bool offers_same(const AxiAddress& other) const {
    return valid && address == other.address && length == other.length && size == other.size && burst == other.burst;
  }
};

/// The signals of a data channel.
struct AxiData {
  bool valid = false;
  bool ready = false;
  AxiWords words{};
  std::uint32_t strobe = 0;  // writes: one bit a byte
  unsigned response = 0;     // reads: 0 OKAY, 2 SLVERR
  bool last = false;

  bool offers_same(const AxiData& other) const {
    return valid && words == other.words && strobe == other.strobe && last == other.last;
  }
};

/// The signals of the write responses.
struct AxiResponse {
  bool valid = false;
  bool ready = false;
  unsigned response = 0;
};

/// How fast a memory is, in cycles of the port's clock.
struct AxiTiming {
  /// From an address to its first data, and from the last of a write's data to its response.
  std::uint64_t latency = 1;
  /// Reads and writes together move at most bytes / cycles bytes a cycle; bytes 0: as much as the bus can.
  std::uint64_t bytes = 0;
  std::uint64_t cycles = 1;
  /// Of a hundred cycles those in which a channel pauses: ready of both addresses and of data, data and responses.
  unsigned pauses = 0;

  /// A memory of so many MB/s and nanoseconds, at a clock.
  static AxiTiming at_clock(std::uint64_t megabytes, std::uint64_t nanoseconds, std::uint64_t megahertz) {
    return {(nanoseconds * megahertz + 999) / 1000, megabytes, megahertz, 0};
  }
  /// What the processor of Roy et al. (HEPCloud) got of its DDR3: 32 bytes every 23.9 cycles of 200 MHz, one access
  /// after the other.
  static AxiTiming ddr3(std::uint64_t megahertz) { return at_clock(268, 120, megahertz); }
  /// One channel of DDR4-2400. The latency is an assumption.
  static AxiTiming ddr4(std::uint64_t megahertz) { return at_clock(19200, 100, megahertz); }
  /// One pseudo-channel of HBM2. The latency is an assumption.
  static AxiTiming hbm2(std::uint64_t megahertz) { return at_clock(14400, 150, megahertz); }
};

/// Bytes that read as 0 until they are written, behind a port with beats of `beat_bytes` (a power of two up to 32).
class AxiMemory {
 public:
  AxiMemory(unsigned beat_bytes, Random& random) : beat_bytes_(beat_bytes), random_(random) {}

  AxiTiming timing;
  /// Bytes from first to before second: reads and writes of them fail.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> errors;

  AxiAddress read_address;
  AxiData read_data;
  AxiAddress write_address;
  AxiData write_data;
  AxiResponse write_response;

  /// The first breach of the protocol, empty if there was none.
  const std::string& breach() const { return breach_; }
  /// Whether nothing is under way.
  bool is_idle() const { return reads_.empty() && writes_.empty() && data_.empty() && responses_.empty(); }
  std::uint64_t bytes_read() const { return bytes_read_; }
  std::uint64_t bytes_written() const { return bytes_written_; }
  /// The most bursts that were under way at once, read or written.
  std::size_t most_reads() const { return most_reads_; }
  std::size_t most_writes() const { return most_writes_; }

  /// Whether the beat at an address lies in a range of errors.
  bool fails(std::uint64_t address) const {
    for (const auto& [begin, end] : errors) {
      if (address < end && address + (beat_bytes_ - 1) >= begin) return true;
    }
    return false;
  }

  /// The 8 bytes at a multiple of 8.
  std::uint64_t word(std::uint64_t address) const {
    const auto page = pages_.find(address / PAGE_BYTES);
    return page == pages_.end() ? 0 : page->second[address % PAGE_BYTES / 8];
  }
  void set_word(std::uint64_t address, std::uint64_t value) {
    pages_[address / PAGE_BYTES][address % PAGE_BYTES / 8] = value;
  }

  /// Sets the memory's signals for this cycle.
  void begin_cycle() {
    earn();
    read_address.ready = moves();
    write_address.ready = moves();
    // Where both wait, they take turns with the bandwidth.
    write_turn_ = !write_turn_;
    const bool reserve = write_turn_ && write_data.valid;
    if (reserve) offer_write();
    offer_read();
    if (!reserve) offer_write();
    if (!write_response.valid && !responses_.empty() && responses_.front().due <= cycle_ && moves()) {
      write_response = {true, false, responses_.front().response};
    }
  }

  /// Takes what the master's signals say at the end of this cycle.
  void end_cycle() {
    check_stays(read_address, last_read_address_, "ARVALID or what it offers changed before ARREADY");
    check_stays(write_address, last_write_address_, "AWVALID or what it offers changed before AWREADY");
    check_stays(write_data, last_write_data_, "WVALID or what it offers changed before WREADY");
    take_addresses();
    take_read_data();
    take_write_data();
    match_writes();
    if (write_response.valid && write_response.ready) {
      responses_.pop_front();
      write_response.valid = false;
    }
    ++cycle_;
  }

 private:
  static constexpr std::uint64_t PAGE_BYTES = 4096;
  using Page = std::array<std::uint64_t, PAGE_BYTES / 8>;

  /// A burst, the beats of it that have moved, the cycle from which on it may go on, the worst response so far.
  struct Burst {
    std::uint64_t address;
    unsigned length;
    unsigned beats = 0;
    std::uint64_t due = 0;
    unsigned response = 0;
  };

  std::uint64_t answer_cycle() const { return cycle_ + std::max<std::uint64_t>(timing.latency, 1); }

  bool moves() { return timing.pauses == 0 || !random_.chance(timing.pauses); }

  void note(bool breached, const char* what) {
    if (breached && breach_.empty()) breach_ = std::string(what) + ", cycle " + std::to_string(cycle_);
  }

  template <class Channel>
  void check_stays(const Channel& now, Channel& before, const char* what) {
    note(before.valid && !before.ready && !now.offers_same(before), what);
    before = now;
  }

  /// Bandwidth is earned each cycle, in units of 1 / timing.cycles bytes. Of what nobody uses, a beat each way is kept.
  void earn() {
    credit_ = std::min(credit_ + timing.bytes, timing.bytes + 2 * cost());
  }
  std::uint64_t cost() const { return beat_bytes_ * timing.cycles; }
  bool affords() const { return timing.bytes == 0 || credit_ >= cost(); }
  void spend() { credit_ -= timing.bytes == 0 ? 0 : cost(); }

  /// Offers the next beat, and pays for it.
  void offer_read() {
    if (read_data.valid || reads_.empty() || reads_.front().due > cycle_ || !affords() || !moves()) return;
    const Burst& burst = reads_.front();
    const std::uint64_t address = burst.address + std::uint64_t{burst.beats} * beat_bytes_;
    const bool failed = fails(address);
    read_data = {true, false, {}, 0, failed ? 2U : 0U, burst.beats == burst.length};
    for (unsigned byte = 0; byte < beat_bytes_; byte += 8) {
      read_data.words[byte / 8] = failed ? random_.word() : word(address + byte);
    }
    spend();
  }

  /// Is ready for a beat, and has paid for it if it comes.
  void offer_write() {
    write_data.ready = affords() && moves();
    if (write_data.ready) spend();
  }

  void check_address(const AxiAddress& channel) {
    const std::uint64_t bytes = (std::uint64_t{channel.length} + 1) << channel.size;
    note(channel.address / PAGE_BYTES != (channel.address + bytes - 1) / PAGE_BYTES, "a burst crosses 4 KiB");
    note(1U << channel.size != beat_bytes_ || channel.burst != 1, "a burst of another kind");
    note(channel.address % beat_bytes_ != 0, "an address is no multiple of a beat's bytes");
  }

  void take_addresses() {
    if (read_address.valid && read_address.ready) {
      check_address(read_address);
      reads_.push_back({read_address.address, read_address.length, 0, answer_cycle()});
    }
    if (write_address.valid && write_address.ready) {
      check_address(write_address);
      writes_.push_back({write_address.address, write_address.length});
    }
    most_reads_ = std::max(most_reads_, reads_.size());
    most_writes_ = std::max(most_writes_, writes_.size() + responses_.size());
  }

  void take_read_data() {
    if (!read_data.valid || !read_data.ready) return;
    bytes_read_ += beat_bytes_;
    if (read_data.last) {
      reads_.pop_front();
    } else {
      ++reads_.front().beats;
    }
    read_data.valid = false;
  }

  /// Data may come before its address.
  void take_write_data() {
    if (write_data.valid && write_data.ready) {
      data_.push_back(write_data);
    } else if (write_data.ready && timing.bytes != 0) {
      credit_ += cost();
    }
  }

  /// Writes the data whose address has come.
  void match_writes() {
    while (!data_.empty() && !writes_.empty()) {
      Burst& burst = writes_.front();
      const std::uint64_t address = burst.address + std::uint64_t{burst.beats} * beat_bytes_;
      const bool last = burst.beats == burst.length;
      note(data_.front().last != last, "WLAST is not with the last beat, or only with it");
      if (fails(address)) {
        burst.response = 2;
      } else {
        write(address, data_.front());
      }
      data_.pop_front();
      ++burst.beats;
      if (!last) continue;
      responses_.push_back({burst.address, burst.length, burst.beats, answer_cycle(), burst.response});
      writes_.pop_front();
    }
  }

  void write(std::uint64_t address, const AxiData& data) {
    for (unsigned byte = 0; byte < beat_bytes_; ++byte) {
      if ((data.strobe >> byte & 1) == 0) continue;
      std::uint64_t& stored = pages_[address / PAGE_BYTES][(address + byte) % PAGE_BYTES / 8];
      const std::uint64_t bits = std::uint64_t{0xff} << 8 * (byte % 8);
      stored = (stored & ~bits) | (data.words[byte / 8] & bits);
    }
    bytes_written_ += beat_bytes_;
  }

  unsigned beat_bytes_;
  Random& random_;
  std::unordered_map<std::uint64_t, Page> pages_;
  std::deque<Burst> reads_;
  std::deque<Burst> writes_;
  std::deque<AxiData> data_;
  std::deque<Burst> responses_;
  AxiAddress last_read_address_;
  AxiAddress last_write_address_;
  AxiData last_write_data_;
  std::string breach_;
  std::uint64_t cycle_ = 0;
  std::uint64_t credit_ = 0;
  std::uint64_t bytes_read_ = 0;
  std::uint64_t bytes_written_ = 0;
  std::size_t most_reads_ = 0;
  std::size_t most_writes_ = 0;
  bool write_turn_ = false;
};

/// Joins a memory to the ports that a model has. It is an end for stream_cycle.
template <class Model>
class AxiPort {
 public:
  AxiPort(Model& model, AxiMemory& memory) : model_(model), memory_(memory) {}

  void drive() {
    memory_.begin_cycle();
    if constexpr (requires(Model& model) { model.axi_arvalid_o; }) {
      model_.axi_arready_i = memory_.read_address.ready;
      model_.axi_rvalid_i = memory_.read_data.valid;
      put_words(model_.axi_rdata_i, memory_.read_data.words);
      model_.axi_rresp_i = static_cast<CData>(memory_.read_data.response);
      model_.axi_rlast_i = memory_.read_data.last;
    }
    if constexpr (requires(Model& model) { model.axi_awvalid_o; }) {
      model_.axi_awready_i = memory_.write_address.ready;
      model_.axi_wready_i = memory_.write_data.ready;
      model_.axi_bvalid_i = memory_.write_response.valid;
      model_.axi_bresp_i = static_cast<CData>(memory_.write_response.response);
    }
  }

  void sample() {
    if constexpr (requires(Model& model) { model.axi_arvalid_o; }) {
      memory_.read_address = {model_.axi_arvalid_o != 0, memory_.read_address.ready, model_.axi_araddr_o,
                              model_.axi_arlen_o, model_.axi_arsize_o, model_.axi_arburst_o};
      memory_.read_data.ready = model_.axi_rready_o;
    }
    if constexpr (requires(Model& model) { model.axi_awvalid_o; }) {
      memory_.write_address = {model_.axi_awvalid_o != 0, memory_.write_address.ready, model_.axi_awaddr_o,
                               model_.axi_awlen_o, model_.axi_awsize_o, model_.axi_awburst_o};
      memory_.write_data = {model_.axi_wvalid_o != 0, memory_.write_data.ready, words_of(model_.axi_wdata_o),
                            model_.axi_wstrb_o, 0, model_.axi_wlast_o != 0};
      memory_.write_response.ready = model_.axi_bready_o;
    }
    memory_.end_cycle();
  }

 private:
  Model& model_;
  AxiMemory& memory_;
};

}  // namespace ringmill
