// The core beside an interpreter: random programs with memories of every pace, whose stored limbs must be right; programs
// with errors of every kind; cycles of single instructions; overlap of load, transform and store.

#include <map>

#include "../check.h"
#include "../prime.h"
#include "axi_memory.h"
#include "stream.h"

namespace {

using namespace core;

constexpr std::uint64_t kRing = 0x10000, kBlocks = 0x20000, kInputs = 0x100000, kOutputs = 0x400000, kWindow = 0x1000000;
constexpr unsigned kRingLog = 5;

constexpr std::uint32_t kWords = 0x0c, kControl = 0x10, kStatus = 0x14, kTail = 0x20, kHead = 0x24, kError = 0x38,
                        kErrorAddress = 0x3c, kInterrupts = 0x44, kCounters = 0x50;

/// The inverse of a matrix modulo q, by elimination.
std::vector<Words> inverted(std::vector<Words> matrix, const xor_banks::Field& field) {
  const std::size_t n = matrix.size();
  for (std::size_t i = 0; i < n; ++i) {
    matrix[i].resize(2 * n);
    matrix[i][n + i] = 1;
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    while (matrix[pivot][i] == 0) ++pivot;
    std::swap(matrix[i], matrix[pivot]);
    const std::uint64_t scale = field.inverse(matrix[i][i]);
    for (auto& word : matrix[i]) word = field.times(word, scale);
    for (std::size_t row = 0; row < n; ++row) {
      const std::uint64_t factor = matrix[row][i];
      if (row == i || factor == 0) continue;
      for (std::size_t j = i; j < 2 * n; ++j) {
        matrix[row][j] = field.minus(matrix[row][j], field.times(factor, matrix[i][j]));
      }
    }
  }
  for (auto& row : matrix) row.erase(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(n));
  return matrix;
}

/// A prime with what the interpreter needs of it.
struct Modulus {
  core::Prime prime;
  std::vector<Words> forward, backward;  // matrices of the transforms
  std::uint64_t radix_inverse;

  Modulus(const core::Prime& of, std::size_t n)
      : prime(of), forward(n, Words(n)), radix_inverse(of.field.inverse(of.field.radix)) {
    for (std::size_t j = 0; j < n; ++j) {
      Words unit(n);
      unit[j] = 1;
      const Words column = prime.evaluated(unit);
      for (std::size_t i = 0; i < n; ++i) forward[i][j] = column[i];
    }
    backward = inverted(forward, prime.field);
  }

  Words transformed(const Words& words, bool inverse) const {
    Words result(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      const Words& row = inverse ? backward[i] : forward[i];
      Wide sum = 0;
      for (std::size_t j = 0; j < words.size(); ++j) sum += prime.field.times(row[j], words[j]);
      result[i] = static_cast<std::uint64_t>(sum % prime.field.q);
    }
    return inverse ? prime.ordered(result) : result;
  }
};

/// Buffers in natural order, and what instructions do to them.
class Interpreter {
 public:
  Interpreter(unsigned limbs, const std::vector<Modulus>& primes) : primes_(primes), buffers(limbs), slots_(16) {}

  void run(const Descriptor& d, ringmill::AxiMemory& memory, std::map<std::uint64_t, Words>& stored) {
    const std::size_t n = primes_[0].forward.size();
    if (d.opcode == CONSTANTS) slots_[d.slot] = (d.immediate - kBlocks) / 0x10000;
    if (d.opcode >= WAIT || d.opcode == CONSTANTS) return;
    const Modulus& prime = primes_[slots_[d.slot]];
    const auto& field = prime.prime.field;
    const Words a = buffers[d.a], b = buffers[d.b];
    const auto product = [&](std::uint64_t x, std::uint64_t y) { return field.times(field.times(x, y), prime.radix_inverse); };
    Words result(n);
    for (std::size_t i = 0; i < n; ++i) {
      if (d.opcode == LOAD) result[i] = memory.word(d.immediate + 8 * i);
      if (d.opcode == AUTOMORPHISM) result[(i + d.immediate) % n] = a[i];
      for (unsigned term = 0; d.opcode == MAC && term < d.count; ++term) {
        result[i] = field.plus(result[i], product(buffers[d.a + term][i], buffers[d.b + term][i]));
      }
      if (d.opcode != VECTOR) continue;
      switch (d.operation) {
        case 0: result[i] = field.plus(a[i], b[i]); break;
        case 1: result[i] = field.minus(a[i], b[i]); break;
        case 2: result[i] = field.minus(0, a[i]); break;
        case 3: result[i] = product(a[i], b[i]); break;
        case 4: result[i] = product(a[i], d.immediate); break;
        default: result[i] = d.immediate;
      }
    }
    if (d.opcode == NTT) result = prime.transformed(a, d.operation == 1);
    if (d.opcode == STORE) {
      stored[d.immediate] = a;
    } else {
      buffers[d.destination] = result;
    }
  }

 private:
  const std::vector<Modulus>& primes_;

 public:
  std::vector<Words> buffers;

 private:
  std::vector<std::size_t> slots_;
};

template <class Model>
class World {
 public:
  explicit World(ringmill::Bench<Model>& bench)
      : bench(bench), memory(static_cast<unsigned>(bench.parameter("DataWidth") / 8), bench.random),
        port_(bench.model(), memory) {
    silence();
  }

  void cycle() {
    port_.drive();
    bench.settle();
    port_.sample();
    bench.step();
  }

  unsigned write(std::uint32_t address, std::uint32_t data) {
    bench->control_awvalid_i = bench->control_wvalid_i = bench->control_bready_i = 1;
    bench->control_awaddr_i = address;
    bench->control_wdata_i = data;
    bench->control_wstrb_i = 0xf;
    while (true) {
      bench.settle();
      const bool taken = bench->control_awready_o, data_taken = bench->control_wready_o, answered = bench->control_bvalid_o;
      const unsigned code = bench->control_bresp_o;
      cycle();
      if (taken) bench->control_awvalid_i = 0;
      if (data_taken) bench->control_wvalid_i = 0;
      if (!answered) continue;
      bench->control_bready_i = 0;
      return code;
    }
  }

  std::uint32_t read(std::uint32_t address) {
    bench->control_arvalid_i = bench->control_rready_i = 1;
    bench->control_araddr_i = address;
    while (true) {
      bench.settle();
      const bool taken = bench->control_arready_o, answered = bench->control_rvalid_o;
      const std::uint32_t data = bench->control_rdata_o;
      cycle();
      if (taken) bench->control_arvalid_i = 0;
      if (!answered) continue;
      bench->control_rready_i = 0;
      return data;
    }
  }

  std::uint64_t counter(unsigned number) {
    return read(kCounters + 8 * number) | std::uint64_t{read(kCounters + 8 * number + 4)} << 32;
  }

  /// Clears the core and sets the ring and the window.
  void restart() {
    bench.expect_equal(write(kControl, 1), 0, "clear");
    const std::uint32_t values[][2] = {{0x18, kRing}, {0x1c, 0}, {0x48, kRingLog}, {0x28, 0}, {0x2c, 0}, {0x30, kWindow}, {0x34, 0}};
    for (const auto& [address, value] : values) bench.expect_equal(write(address, value), 0, "configuration");
    tail_ = 0;
  }

  void put(const Descriptor& d) {
    const std::uint64_t address = kRing + 32 * (tail_ % (1U << kRingLog));
    const unsigned fields[] = {d.opcode, d.operation, d.destination, d.a, d.b, d.slot, d.count, d.top};
    std::uint64_t word = 0;
    for (unsigned byte = 0; byte < 8; ++byte) word |= std::uint64_t{fields[byte]} << 8 * byte;
    memory.set_word(address, word);
    memory.set_word(address + 8, d.immediate);
    memory.set_word(address + 16, d.unused[0]);
    memory.set_word(address + 24, d.unused[1]);
    ++tail_;
  }

  /// Puts a program into the ring as there is room, and waits until all is done. Whether the core did not hang.
  bool run(const std::vector<Descriptor>& program) {
    for (const Descriptor& d : program) {
      while (tail_ - read(kHead) >= 1U << kRingLog) {
        if (read(kStatus) & 2) return true;
      }
      put(d);
      write(kTail, tail_);
    }
    for (unsigned i = 0; i < 1000000; ++i) {
      if (read(kStatus) & 1) return true;
    }
    bench.expect(false, "the end of a program");
    return false;
  }

  void put_limb(std::uint64_t address, const Words& words) {
    for (std::size_t i = 0; i < words.size(); ++i) memory.set_word(address + 8 * i, words[i]);
  }

  void put_block(std::uint64_t address, const core::Prime& prime) {
    memory.set_word(address, prime.field.q);
    put_limb(address + 64, prime.constants);
  }

  void silence() {
    bench->control_awvalid_i = bench->control_wvalid_i = bench->control_bready_i = 0;
    bench->control_arvalid_i = bench->control_rready_i = 0;
    bench->axi_rvalid_i = bench->axi_bvalid_i = bench->axi_arready_i = bench->axi_awready_i = bench->axi_wready_i = 0;
  }

  ringmill::Bench<Model>& bench;
  ringmill::AxiMemory memory;

 private:
  ringmill::AxiPort<Model> port_;
  std::uint32_t tail_ = 0;
};

Descriptor load(unsigned destination, unsigned slot, std::uint64_t address) {
  Descriptor d;
  d.opcode = LOAD;
  d.destination = destination;
  d.slot = slot;
  d.immediate = address;
  return d;
}

Descriptor constants(unsigned slot, std::uint64_t address) {
  Descriptor d;
  d.opcode = CONSTANTS;
  d.slot = slot;
  d.immediate = address;
  return d;
}

Descriptor store(unsigned a, unsigned slot, std::uint64_t address) {
  Descriptor d;
  d.opcode = STORE;
  d.a = a;
  d.slot = slot;
  d.immediate = address;
  return d;
}

Descriptor work(unsigned opcode, unsigned operation, unsigned destination, unsigned a, unsigned slot) {
  Descriptor d;
  d.opcode = opcode;
  d.operation = operation;
  d.destination = destination;
  d.a = a;
  d.slot = slot;
  return d;
}

/// A random program that is right. Limbs are loaded from inputs, and each is stored to a place of its own.
template <class Model>
std::vector<Descriptor> random_program(World<Model>& world, State& state, const std::vector<Modulus>& primes, unsigned length) {
  auto& random = world.bench.random;
  std::vector<Descriptor> program;
  std::vector<std::size_t> loaded(state.slots);
  std::uint64_t output = kOutputs, input = kInputs;
  const auto take = [&](const Descriptor& d) {
    program.push_back(d);
    if (d.opcode == CONSTANTS) {
      loaded[d.slot] = (d.immediate - kBlocks) / 0x10000;
      state.moduli[d.slot] = primes[loaded[d.slot]].prime.field.q;
      for (auto& tag : state.tags) {
        if (tag == d.slot) tag.reset();
      }
    }
    if (fields_of(d).find('d') != std::string::npos) state.tags[d.destination] = d.slot;
  };
  for (unsigned slot = 0; slot < state.slots; ++slot) take(constants(slot, kBlocks + 0x10000 * (slot % primes.size())));
  while (program.size() < length) {
    Descriptor d = random_descriptor(world.bench, state);
    // Conversions have a bench of their own, and the host's tests run them whole.
    if (is_strip(d) || d.opcode == TABLE || d.opcode == CONVERT) continue;
    if (d.opcode == CONSTANTS && random.chance(85)) continue;
    if (d.opcode == CONSTANTS && d.slot < state.slots) d.immediate = kBlocks + 0x10000 * random.below(primes.size());
    if (d.opcode == STORE) d.immediate = output;
    if (d.opcode == LOAD && d.slot < state.slots) {
      d.immediate = input;
      Words words(state.n);
      for (auto& word : words) word = static_cast<std::uint64_t>(random.edgy(*state.moduli[d.slot]));
      if (error_of(d, state) == 0) world.put_limb(input, words);
    }
    if (error_of(d, state) != 0) continue;
    if (d.opcode == STORE) output += 8 * state.n;
    if (d.opcode == LOAD) input += 8 * state.n;
    take(d);
  }
  for (unsigned buffer = 0; buffer < state.limbs; ++buffer) {
    if (!state.tags[buffer]) continue;
    take(store(buffer, *state.tags[buffer], output));
    output += 8 * state.n;
  }
  return program;
}

template <class Model>
void check_programs(World<Model>& world, const std::vector<Modulus>& primes) {
  auto& bench = world.bench;
  const ringmill::AxiTiming timings[] = {{1, 0, 1, 0}, {40, 0, 1, 20}, {10, 11, 1, 0}, {200, 0, 1, 60}};
  for (unsigned round = 0; round < 8; ++round) {
    world.memory.timing = timings[round % 4];
    world.restart();
    State state(bench);
    state.window_size = kWindow;
    const auto program = random_program(world, state, primes, 60);
    if (!world.run(program)) return;
    bench.expect_equal(world.read(kError), 0, "error");
    bench.expect_equal(world.read(kHead), program.size(), "head");
    Interpreter interpreter(state.limbs, primes);
    std::map<std::uint64_t, Words> stored;
    unsigned interrupts = 0;
    for (const Descriptor& d : program) {
      interpreter.run(d, world.memory, stored);
      interrupts += d.opcode == INTERRUPT;
    }
    bench.expect_equal(world.read(kInterrupts), interrupts, "interrupts");
    for (const auto& [address, words] : stored) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        bench.expect_equal(world.memory.word(address + 8 * i), words[i], "word " + std::to_string(i) + " of a limb");
      }
    }
    bench.expect(world.memory.breach().empty(), world.memory.breach());
  }
}

/// Every error stops the core with its code and its descriptor's address; clear mends it.
template <class Model>
void check_errors(World<Model>& world, const std::vector<Modulus>& primes) {
  auto& bench = world.bench;
  const std::uint64_t q = primes[0].prime.field.q, bytes = 8 * bench.parameter("N");
  world.memory.timing = {20, 0, 1, 10};
  world.put_limb(kInputs, Words(bench.parameter("N"), q - 1));
  world.put_limb(kInputs + bytes, Words(bench.parameter("N"), q - 1));
  world.memory.set_word(kInputs + bytes + 8 * 7, q);
  world.put_block(kBlocks + 0x80000, primes[0].prime);
  world.memory.set_word(kBlocks + 0x80000 + 8, 1);
  world.memory.errors = {{kOutputs, kOutputs + 64}, {kInputs + 4 * bytes, kInputs + 4 * bytes + 64}};
  const auto limbs = static_cast<unsigned>(bench.parameter("Limbs"));
  const auto slots = static_cast<unsigned>(bench.parameter("Slots"));
  Descriptor mac = work(MAC, 0, 0, 0, 0);
  mac.count = 1;
  Descriptor scale = work(VECTOR, 4, 1, 0, 0);
  scale.immediate = q;
  Descriptor shift = work(AUTOMORPHISM, 0, 1, 0, 0);
  shift.immediate = bench.parameter("N");
  const bool converts = engine_of(bench) == XOR_BANKS;
  Descriptor strip = load(1, 0, kInputs);
  strip.count = 1;
  strip.b = 2;
  Descriptor table = constants(0, kBlocks + 0x40000);
  table.opcode = TABLE;
  Descriptor convert = work(CONVERT, 0, 0, 0, 1);
  convert.count = 1;
  const std::pair<unsigned, Descriptor> bad[] = {
      {converts ? 19 : 1, strip}, {converts ? 18 : 1, table}, {converts ? 3 : 1, convert},
      {1, work(0x77, 0, 0, 0, 0)}, {1, Descriptor{}}, {2, work(NTT, 0, limbs, 0, 0)}, {3, work(NTT, 0, 1, 0, 1)},
      {4, work(NTT, 0, 1, 3, 0)}, {6, mac}, {7, load(1, 0, kInputs + 32)}, {8, load(1, 0, kWindow - bytes + 64)},
      {9, scale}, {engine_of(bench) == XOR_BANKS ? 10 : 1, shift}, {11, load(1, 0, kInputs + bytes)}, {12, constants(slots - 1, kBlocks + 0x80000)},
      {13, load(1, 0, kInputs + 4 * bytes)}, {14, store(0, 0, kOutputs)}};
  for (const auto& [code, descriptor] : bad) {
    world.restart();
    std::vector<Descriptor> program = {constants(0, kBlocks), load(0, 0, kInputs), work(NTT, 0, 2, 0, 0), descriptor};
    for (unsigned i = 0; i < 4; ++i) program.push_back(work(NTT, 0, 2, 2, 0));
    if (!world.run(program)) return;
    bench.expect_equal(world.read(kStatus), 3, "stopped and idle with error " + std::to_string(code));
    bench.expect_equal(world.read(kError), code, "error");
    bench.expect_equal(world.read(kErrorAddress), kRing + 32 * 3, "address of the descriptor");
    bench.expect(bench->interrupt_o, "interrupt");
  }
  world.restart();
  world.write(kTail, (1U << kRingLog) + 1);
  for (unsigned i = 0; i < 20; ++i) world.cycle();
  bench.expect_equal(world.read(kError), 16, "error of the tail");
  world.memory.errors = {{kRing, kRing + 32}};
  world.restart();
  if (!world.run({constants(0, kBlocks)})) return;
  bench.expect_equal(world.read(kError), 15, "error of a descriptor");
  world.memory.errors.clear();
  world.restart();
  bench.expect_equal(world.read(kStatus), 1, "idle again");
}

/// Cycles in which a unit works on one instruction.
template <class Model>
void check_cycles(World<Model>& world, const std::vector<Modulus>& primes) {
  auto& bench = world.bench;
  world.memory.timing = {1, 0, 1, 0};
  const std::uint64_t n = bench.parameter("N"), depth = n / (2 * bench.parameter("Units"));
  Descriptor mac = work(MAC, 0, 3, 0, 0);
  mac.b = 1;
  mac.count = 2;
  std::vector<std::tuple<Descriptor, unsigned, std::uint64_t>> cases = {
      {work(NTT, 0, 2, 0, 0), 3, transform_cycles(bench, false) + 1},
      {work(NTT, 1, 2, 0, 0), 3, transform_cycles(bench, true) + 1},
      {work(VECTOR, 2, 2, 0, 0), 4, depth + 32},
      {mac, 4, 2 * depth + 32}};
  if (engine_of(bench) == XOR_BANKS) cases.push_back({work(AUTOMORPHISM, 0, 2, 0, 0), 4, depth + 64});
  world.put_limb(kInputs, Words(n, 5));
  for (const auto& [descriptor, unit, most] : cases) {
    world.restart();
    if (!world.run({constants(0, kBlocks), load(0, 0, kInputs), load(1, 0, kInputs), load(2, 0, kInputs), descriptor})) return;
    const std::uint64_t cycles = world.counter(unit);
    bench.expect(cycles <= most && cycles >= most - 64, "cycles of " + std::to_string(descriptor.opcode) + ": " + std::to_string(cycles));
  }
}

/// Load, transform and store of eight limbs take hardly longer than the longest of the three.
template <class Model>
void check_overlap(World<Model>& world) {
  auto& bench = world.bench;
  world.memory.timing = {30, 0, 1, 0};
  world.restart();
  const std::uint64_t bytes = 8 * bench.parameter("N");
  std::vector<Descriptor> program = {constants(0, kBlocks)};
  for (unsigned i = 0; i < 8; ++i) {
    program.push_back(load(i % 3, 0, kInputs));
    program.push_back(work(NTT, 0, i % 3, i % 3, 0));
    program.push_back(store(i % 3, 0, kOutputs + i * bytes));
  }
  if (!world.run(program)) return;
  const std::uint64_t all = world.counter(0), held = world.counter(11);
  const std::uint64_t longest = std::max({world.counter(1), world.counter(2), world.counter(3)});
  std::printf("  eight limbs: %lu cycles, of which constants %lu; longest unit %lu\n", all, held, longest);
  bench.expect(all - held <= longest + longest / 10 + 400, "overlap");
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const std::uint64_t n = bench.parameter("N");
  const core::Prime first = prime_of(bench);
  const std::vector<Modulus> primes = {Modulus(first, n), Modulus(prime_of(bench, first.field.q), n)};
  World<Model> world(bench);
  bench.reset();
  for (std::size_t i = 0; i < primes.size(); ++i) world.put_block(kBlocks + 0x10000 * i, primes[i].prime);
  bench.expect_equal(world.read(kWords) >> 24, engine_of(bench), "the engine's number");
  check_programs(world, primes);
  check_errors(world, primes);
  check_cycles(world, primes);
  check_overlap(world);
}
