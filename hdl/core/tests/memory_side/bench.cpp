// The core's memory side before a memory: limbs go into buffers and come back to other addresses, a LOAD beside a
// STORE, under pauses and failing ranges; the cycles before fast memories and before those of AxiTiming.

#include <optional>

#include "../constants.h"
#include "../instruction.h"
#include "axi_memory.h"
#include "stream.h"

namespace {

constexpr std::uint64_t BASE = 0x123400000, ERRORS = 0x200000000;
constexpr unsigned BUFFERS = 4;

/// Odd, and 1 modulo 2^Word for every Word of this bench's sets.
constexpr std::uint64_t MODULUS = (std::uint64_t{1} << 30) - (std::uint64_t{1} << 17) + 1;

/// A limb or a block in memory, and the buffer that a limb goes to or comes from.
struct Move {
  std::uint64_t address;
  unsigned buffer;
  unsigned opcode = core::LOAD;
};

template <class Model>
class Side {
 public:
  explicit Side(ringmill::Bench<Model>& bench)
      : memory(static_cast<unsigned>(bench.parameter("DataWidth") / 8), bench.random), bench_(bench),
        bytes_(8 * bench.parameter("N")) {}

  ringmill::AxiMemory memory;

  /// Cycles of a LOAD and a STORE, 0 for those that are not done.
  struct Cycles {
    std::uint64_t load = 0;
    std::uint64_t store = 0;
  };

  /// Limbs follow each other without gaps.
  std::uint64_t address(std::uint64_t limb) const { return BASE + limb * bytes_; }

  void fill(std::uint64_t at) {
    for (std::uint64_t byte = 0; byte < bytes_; byte += 8) {
      memory.set_word(at + byte, static_cast<std::uint64_t>(bench_.random.edgy(MODULUS)));
    }
  }

  /// A LOAD and a STORE at once, as far as they are given.
  Cycles go(std::optional<Move> loaded, std::optional<Move> stored) {
    ringmill::AxiPort<Model> port(bench_.model(), memory);
    const Move load = loaded.value_or(Move{}), store = stored.value_or(Move{});
    bench_->load_start_i = loaded.has_value();
    bench_->store_start_i = stored.has_value();
    const core::Instruction in{.opcode = load.opcode, .destination = load.buffer, .immediate = load.address};
    const core::Instruction out{.opcode = core::STORE, .a = store.buffer, .immediate = store.address};
    ringmill::put(bench_->load_instruction_i, in.bits());
    ringmill::put(bench_->store_instruction_i, out.bits());
    ringmill::put(bench_->modulus_i, MODULUS);
    const std::uint64_t begin = bench_.cycles();
    Cycles cycles;
    while ((loaded && cycles.load == 0) || (stored && cycles.store == 0)) {
      ringmill::stream_cycle(bench_, port);
      bench_->load_start_i = bench_->store_start_i = 0;
      if (bench_->load_done_o) {
        cycles.load = bench_.cycles() - begin;
        const bool fails = load.address >= ERRORS;
        bench_.expect_equal(bench_->load_error_o, fails ? core::READ : core::NONE, "error of a LOAD");
      }
      if (bench_->store_done_o) {
        cycles.store = bench_.cycles() - begin;
        const bool fails = store.address >= ERRORS;
        bench_.expect_equal(bench_->store_error_o, fails ? core::WRITE : core::NONE, "error of a STORE");
      }
      if (bench_.cycles() - begin > 100 * bytes_) break;
    }
    bench_.expect(memory.breach().empty(), memory.breach());
    bench_.expect(memory.is_idle(), "done before the memory is");
    return cycles;
  }

  /// The limb at `to` is the one at `from`.
  void expect_same(std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t byte = 0; byte < bytes_; byte += 8) {
      bench_.expect_equal(memory.word(to + byte), memory.word(from + byte), "word " + std::to_string(byte / 8));
    }
  }

 private:
  ringmill::Bench<Model>& bench_;
  std::uint64_t bytes_;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::AxiTiming, ringmill::text;
  bench->load_start_i = bench->store_start_i = 0;
  bench.reset();
  Side<Model> side(bench);
  const std::uint64_t beats = 64 * bench.parameter("N") / bench.parameter("DataWidth");
  const std::uint64_t beat_bytes = bench.parameter("DataWidth") / 8;
  side.memory.errors = {{ERRORS, 2 * ERRORS}};
  for (unsigned limb = 0; limb < BUFFERS; ++limb) side.fill(side.address(limb));

  // A limb on its way in while the one before it goes out, which the errors do not disturb.
  for (const unsigned pauses : {0, 40, 85}) {
    side.memory.timing = {20, 0, 1, pauses};
    for (unsigned limb = 0; limb <= BUFFERS; ++limb) {
      std::optional<Move> in, out;
      if (limb < BUFFERS) in = Move{side.address(limb), limb};
      if (limb > 0) out = Move{side.address(BUFFERS + limb), limb - 1};
      side.go(in, out);
    }
    for (unsigned limb = 0; limb < BUFFERS; ++limb) {
      side.expect_same(side.address(limb), side.address(BUFFERS + limb + 1));
    }
    side.go(Move{ERRORS, 1}, Move{ERRORS + 4096, 0});
    side.go(Move{side.address(1), 1}, Move{side.address(2 * BUFFERS), 0});
    side.expect_same(side.address(0), side.address(2 * BUFFERS));
  }

  // LOAD: 1 to the request, 2 to its address, latency, 1 to the stream, beats, 1 behind the last of them to done.
  // STORE: 1 to the first read, 4 to its beat, 1 to the bus, beats, latency, 1 behind the last response to done.
  for (const std::uint64_t latency : {1, 50, 110}) {
    side.memory.timing = {latency};
    const std::uint64_t read = side.memory.bytes_read(), written = side.memory.bytes_written();
    const auto load = side.go(Move{side.address(0), 0}, {});
    bench.expect_equal(load.load, 1 + 2 + latency + 1 + beats + 1, "cycles of a LOAD");
    const auto store = side.go({}, Move{side.address(9), 0});
    bench.expect_equal(store.store, 1 + 4 + 1 + beats + latency + 1, "cycles of a STORE");
    bench.expect_equal(side.memory.bytes_read() - read, beats * beat_bytes, "bytes that a LOAD reads");
    bench.expect_equal(side.memory.bytes_written() - written, beats * beat_bytes, "bytes that a STORE writes");
  }
  // A block of a good modulus and zeros takes as many cycles as it has words.
  side.memory.timing = {50};
  side.memory.set_word(side.address(20), MODULUS);
  const std::uint64_t words = core::block_words(bench);
  const auto constants = side.go(Move{side.address(20), 0, core::CONSTANTS}, {});
  bench.expect_equal(constants.load, 1 + 2 + 50 + 1 + words + 1, "cycles of CONSTANTS");
  // Of a limited bandwidth all is used. Two beats may move at once: so much is saved from before.
  for (const auto& timing : {AxiTiming::ddr3(200), AxiTiming::ddr4(200), AxiTiming::hbm2(200)}) {
    side.memory.timing = timing;
    const std::uint64_t cost = beat_bytes * timing.cycles;
    const std::uint64_t least = std::max(beats, (beats - 2) * cost / timing.bytes);
    const std::uint64_t most = std::max(beats, (beats * cost + timing.bytes - 1) / timing.bytes) + timing.latency + 8;
    const auto load = side.go(Move{side.address(0), 0}, {});
    bench.expect(load.load >= least && load.load <= most, "cycles of a LOAD at a bandwidth: " + text(load.load));
    const auto store = side.go({}, Move{side.address(9), 0});
    bench.expect(store.store >= least && store.store <= most, "cycles of a STORE at a bandwidth: " + text(store.store));
  }
}
