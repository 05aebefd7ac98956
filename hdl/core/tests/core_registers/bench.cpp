// core_registers beside counts of this bench: configuration, refusals, the first error, the interrupt, counters.

#include "../bits.h"
#include "../engine.h"
#include "axi_lite.h"
#include "stream.h"

namespace {

using namespace ringmill;

constexpr std::uint32_t kControl = 0x10, kStatus = 0x14, kRing = 0x18, kTail = 0x20, kHead = 0x24, kWindow = 0x28,
                        kWindowSize = 0x30, kError = 0x38, kErrorAddress = 0x3c, kInterrupts = 0x44, kRingLog = 0x48,
                        kCounters = 0x50, kDoubts = 0xe0, kConversion = 0xec;
constexpr unsigned kCounterCount = 18, kBytesRead = 14, kBytesWritten = 15;

template <class Model>
struct World {
  explicit World(Bench<Model>& bench) : bench(bench), master(bench, 8) {
    master.patience = 2;
    silence();
  }

  void silence() {
    bench->error_i = bench->dispatched_i = bench->interrupt_i = bench->counted_i = 0;
    bench->read_beat_i = bench->write_beat_i = 0;
  }

  void write(std::uint32_t address, std::uint32_t data, unsigned code = 0, unsigned strobe = 0xf) {
    bench.expect_equal(master.write(address, data, strobe).code, code, "answer to the write of " + text(address));
  }

  void expect_register(std::uint32_t address, std::uint64_t expected, unsigned words = 1) {
    for (unsigned word = 0; word < words; ++word) {
      const Response response = master.read(address + 4 * word);
      bench.expect_equal(response.code, 0, "answer to the read of " + text(address));
      bench.expect_equal(response.data, static_cast<std::uint32_t>(expected >> 32 * word), "register " + text(address));
    }
  }

  void write_long(std::uint32_t address, std::uint64_t value, unsigned code = 0) {
    write(address, static_cast<std::uint32_t>(value), code);
    write(address + 4, static_cast<std::uint32_t>(value >> 32), code);
  }

  Bench<Model>& bench;
  AxiLiteMaster<Model> master;
};

template <class Model>
void check_constants(World<Model>& world) {
  auto& bench = world.bench;
  const auto number = [&](const char* name) { return static_cast<std::uint32_t>(bench.parameter(name)); };
  const auto log2 = [&](const char* name) { return bit_length(bench.parameter(name)) - 1; };
  world.expect_register(0x00, 0x524d434f);
  world.expect_register(0x04, 3);
  world.expect_register(0x08, log2("N") | log2("Units") << 8 | number("Limbs") << 16 | number("Slots") << 24);
  world.expect_register(0x0c, number("Width") | number("Word") << 8 | (log2("DataWidth") - 3) << 16 |
                                   static_cast<std::uint32_t>(core::engine_of(bench)) << 24);
}

/// Counts the cycles in which the queue's first entry is taken.
template <class Model>
struct Pops {
  Bench<Model>& bench;
  unsigned count = 0;

  void drive() {}
  void sample() { count += bench->doubt_pop_o; }
};

/// The queue's state is read, and any write takes its first entry.
template <class Model>
void check_doubts(World<Model>& world) {
  auto& bench = world.bench;
  const auto number = [&](const char* name, std::uint64_t otherwise) {
    return static_cast<std::uint32_t>(bench.parameter_or(name, otherwise));
  };
  world.expect_register(kConversion, number("Tables", 2) | number("Doubts", 16) << 8);
  for (const bool idle : {true, false}) {
    bench->idle_i = idle;
    bench->doubts_i = static_cast<unsigned>(bench.random.below(128));
    bench->doubt_conversion_i = static_cast<std::uint32_t>(bench.random.word());
    bench->doubt_slot_i = static_cast<std::uint32_t>(bench.random.below(1024));
    world.expect_register(kDoubts, bench->doubts_i);
    world.expect_register(kDoubts + 4, bench->doubt_conversion_i);
    world.expect_register(kDoubts + 8, bench->doubt_slot_i);
    world.write(kDoubts, 0);
  }
  bench->idle_i = 1;
  for (const std::uint32_t address : {kDoubts, kTail}) {
    Pops<Model> pops{bench};
    world.master.start_write(address, 7);
    for (unsigned i = 0; i < 100 && world.master.is_writing(); ++i) stream_cycle(bench, world.master, pops);
    bench.expect_equal(pops.count, address == kDoubts, "entries taken from the queue");
  }
}

template <class Model>
void check_configuration(World<Model>& world) {
  auto& bench = world.bench;
  for (const bool idle : {true, false, true}) {
    bench->idle_i = idle;
    const std::uint64_t ring = bench->ring_o, window = bench->window_o, size = bench->window_size_o;
    const unsigned log = bench->ring_log_o;
    const std::uint64_t values[] = {bench.random.word(), bench.random.word(), bench.random.word()};
    const unsigned code = idle ? 0 : 2;
    world.write_long(kRing, values[0], code);
    world.write_long(kWindow, values[1], code);
    world.write_long(kWindowSize, values[2], code);
    bench.expect_equal(bench->ring_o, idle ? values[0] : ring, "ring");
    bench.expect_equal(bench->window_o, idle ? values[1] : window, "window");
    bench.expect_equal(bench->window_size_o, idle ? values[2] : size, "its size");
    world.expect_register(kRing, bench->ring_o, 2);
    world.expect_register(kWindow, bench->window_o, 2);
    world.expect_register(kWindowSize, bench->window_size_o, 2);
    unsigned expected = log;
    for (const unsigned ring_log : {3U, 16U, 7U, 2U, 17U, 35U}) {
      const bool possible = idle && ring_log >= 3 && ring_log <= 16;
      world.write(kRingLog, ring_log, possible ? 0 : 2);
      if (possible) expected = ring_log;
      bench.expect_equal(bench->ring_log_o, expected, "log2 of the ring");
      world.expect_register(kRingLog, expected);
    }
    world.write(kTail, 12345 + idle);
    bench.expect_equal(bench->tail_o, 12345 + idle, "tail at any time");
    world.write(kTail, 1, 2, 0x7);
    world.write(kControl, 1, code);
    bench.expect_equal(bench->tail_o, idle ? 0 : 12345, "tail after clear");
    world.write(kControl, 2, 2);
    world.expect_register(kStatus, idle);
  }
  for (const std::uint32_t address : {0x00, 0x04, 0x08, 0x0c, 0x14, 0x24, 0x38, 0x3c, 0x40, 0x4c, 0x50, 0xdc, 0xe4, 0xec, 0xfc}) {
    world.write(address, 1, 2);
  }
  for (const std::uint32_t address : {0x4c, 0xf0, 0xfc}) {
    bench.expect_equal(world.master.read(address).code, 2, "answer to the read of " + text(address));
  }
}

template <class Model>
void check_events(World<Model>& world) {
  auto& bench = world.bench;
  std::uint64_t counters[kCounterCount] = {}, head = 0, interrupts = 0;
  const std::uint64_t beat = bench.parameter("DataWidth") / 8;
  for (unsigned i = 0; i < 2000; ++i) {
    const auto counted = static_cast<unsigned>(bench.random.below(1 << kCounterCount)) & ~(3U << kBytesRead);
    bench->counted_i = counted;
    bench->read_beat_i = bench.random.chance(50);
    bench->write_beat_i = bench.random.chance(50);
    bench->dispatched_i = bench.random.chance(50);
    bench->interrupt_i = bench.random.chance(1);
    for (unsigned counter = 0; counter < kCounterCount; ++counter) counters[counter] += counted >> counter & 1;
    if (bench->read_beat_i) counters[kBytesRead] += beat;
    if (bench->write_beat_i) counters[kBytesWritten] += beat;
    head += bench->dispatched_i;
    interrupts += bench->interrupt_i;
    bench.step();
  }
  world.silence();
  for (unsigned counter = 0; counter < kCounterCount; ++counter) {
    world.expect_register(kCounters + 8 * counter, counters[counter], 2);
  }
  world.expect_register(kHead, head);
  world.expect_register(kInterrupts, interrupts);
  bench.expect(bench->interrupt_o && interrupts > 0, "interrupt");
  world.write(kInterrupts, 0);
  bench.expect(!bench->interrupt_o, "interrupt taken back");
  world.expect_register(kInterrupts, interrupts);
}

/// The first error stays, with its address, until clear.
template <class Model>
void check_errors(World<Model>& world) {
  auto& bench = world.bench;
  for (unsigned code = 1; code <= 19; ++code) {
    const std::uint64_t address = bench.random.word();
    bench.expect(!bench->stop_o && !bench->interrupt_o, "no error yet");
    bench->error_i = code;
    bench->error_address_i = address;
    bench.step();
    bench->error_i = 20 - code;
    bench->error_address_i = ~address;
    bench.step();
    world.silence();
    bench.expect(bench->stop_o && bench->interrupt_o, "stopped");
    world.expect_register(kError, code);
    world.expect_register(kErrorAddress, address, 2);
    world.expect_register(kStatus, 1 | 2);
    world.write(kControl, 1);
    bench->error_address_i = ~address;
    world.expect_register(kError, 0);
    world.expect_register(kErrorAddress, 0, 2);
  }
}

}  // namespace

template <class Model>
void test(Bench<Model>& bench) {
  World<Model> world(bench);
  bench->idle_i = 1;
  bench.reset();
  check_constants(world);
  check_doubts(world);
  check_configuration(world);
  bench->idle_i = 1;
  world.write(kControl, 1);
  check_events(world);
  world.write(kControl, 1);
  for (unsigned counter = 0; counter < kCounterCount; ++counter) world.expect_register(kCounters + 8 * counter, 0, 2);
  check_errors(world);
}
