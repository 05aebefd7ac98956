// core_load before a stream of beats: limbs and strips in their places by definition, blocks of constants and tables by
// address, every kind of bad word and failed read at any place, under pauses of the request and of the data, and the cycles without.

#include <optional>

#include "../../../ntt_engine/xor_banks/tests/ports.h"
#include "../constants.h"
#include "../instruction.h"
#include "../places.h"
#include "axi_memory.h"
#include "bench.h"

namespace {

using Words = std::vector<std::uint64_t>;

/// One instruction in work: what memory answers, and what the unit wrote.
template <class Model>
class Run {
 public:
  explicit Run(ringmill::Bench<Model>& bench)
      : bench_(bench), n_(bench.parameter("N")), width_(static_cast<unsigned>(bench.parameter("Width"))),
        beat_words_(bench.parameter("DataWidth") / 64), places_(bench) {}

  Words memory;
  std::optional<std::size_t> failed_beat;
  unsigned percent = 100;

  unsigned error = 0;
  std::uint64_t cycles = 0;
  std::vector<std::optional<std::uint64_t>> limb;
  Words constants;
  std::optional<std::uint64_t> modulus;
  Words table;
  std::optional<unsigned> shape;

  void go(const core::Instruction& instruction, std::uint64_t slot_modulus) {
    limb.assign(n_, {});
    constants.clear();
    modulus.reset();
    table.clear();
    shape.reset();
    instruction_ = instruction;
    sent_ = 0;
    requested_ = false;
    bench_->start_i = 1;
    ringmill::put(bench_->instruction_i, instruction.bits());
    ringmill::put(bench_->modulus_i, slot_modulus);
    offer();
    bench_.step();
    bench_->start_i = 0;
    ringmill::put(bench_->instruction_i, 0);
    ringmill::put(bench_->modulus_i, 0);
    const std::uint64_t begin = bench_.cycles();
    bool done = false;
    while (!done && bench_.cycles() - begin < 50 * memory.size() + 1000) {
      offer();
      bench_.settle();
      take_writes();
      take_stream();
      done = bench_->done_o;
      error = bench_->error_o;
      bench_.step();
    }
    cycles = bench_.cycles() - begin;
    bench_.expect(done, "the instruction does not end");
    bench_.expect_equal(sent_ * beat_words_, memory.size(), "words taken");
  }

 private:
  void offer() {
    bench_->request_ready_i = bench_.random.chance(percent);
    offered_ = offered_ || (requested_ && sent_ * beat_words_ < memory.size() && bench_.random.chance(percent));
    bench_->data_valid_i = offered_;
    bench_->data_error_i = offered_ ? failed_beat == sent_ : bench_.random.chance(50);
    ringmill::AxiWords words{};
    for (std::size_t k = 0; k < beat_words_; ++k) {
      words[k] = offered_ ? memory[sent_ * beat_words_ + k] : bench_.random.word();
    }
    ringmill::put_words(bench_->data_i, words);
  }

  void take_stream() {
    if (bench_->request_valid_o && bench_->request_ready_i) {
      bench_.expect(!requested_, "a second request");
      bench_.expect_equal(bench_->request_address_o, instruction_.immediate + 8 * memory.size() * instruction_.operation,
                          "address of the request");
      bench_.expect_equal(bench_->request_beats_o, memory.size() / beat_words_, "beats of the request");
      requested_ = true;
    }
    if (!offered_ || !bench_->data_ready_o) return;
    ++sent_;
    offered_ = false;
  }

  void take_writes() {
    for (std::uint64_t bank = 0; bank < places_.banks(); ++bank) {
      if (!xor_banks::word_of(bench_->load_write_o, static_cast<unsigned>(bank), 1)) continue;
      bench_.expect_equal(bench_->load_write_buffer_o, instruction_.destination, "buffer");
      const std::uint64_t index = places_.index(bank, bench_->load_write_address_o);
      bench_.expect(!limb[index], "word " + std::to_string(index) + " is written twice");
      limb[index] = xor_banks::word_of(bench_->load_write_data_o, static_cast<unsigned>(bank), width_);
    }
    if (bench_->table_write_o) {
      bench_.expect_equal(bench_->slot_o, instruction_.slot, "table of a word");
      bench_.expect_equal(bench_->table_word_o, table.size(), "number of a word");
      table.push_back(bench_->constant_o);
    }
    if (bench_->shape_write_o) {
      bench_.expect(bench_->done_o, "the shape is written before the end");
      bench_.expect_equal(bench_->slot_o, instruction_.slot, "table of a shape");
      shape = bench_->shape_o;
    }
    if (bench_->constant_write_o) {
      bench_.expect_equal(bench_->slot_o, instruction_.slot, "slot of a constant");
      bench_.expect_equal(bench_->constant_address_o, constants.size(), "address of a constant");
      constants.push_back(bench_->constant_o);
    }
    if (bench_->modulus_write_o) {
      bench_.expect(bench_->done_o, "the modulus is written before the end");
      bench_.expect_equal(bench_->slot_o, instruction_.slot, "slot of a modulus");
      modulus = bench_->modulus_o;
    }
  }

  ringmill::Bench<Model>& bench_;
  std::uint64_t n_;
  unsigned width_;
  std::uint64_t beat_words_;
  core::Places places_;
  core::Instruction instruction_;
  std::size_t sent_ = 0;
  bool requested_ = false;
  bool offered_ = false;
};

/// Up to Width bits and 1 modulo 2^Word.
template <class Model>
std::uint64_t random_modulus(ringmill::Bench<Model>& bench) {
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  return (static_cast<std::uint64_t>(bench.random.edgy(ringmill::mask(width - word))) + 1) << word | 1;
}

std::uint64_t below(ringmill::Random& random, std::uint64_t bound) {
  return static_cast<std::uint64_t>(random.edgy(bound));
}

/// A word that is no residue: the modulus, more, or more bits than a residue has.
std::uint64_t no_residue(ringmill::Random& random, std::uint64_t modulus) {
  switch (static_cast<unsigned>(random.below(3))) {
    case 0: return modulus;
    case 1: return modulus - 1 + (std::uint64_t{1} << 63);
    default: return modulus + below(random, ~modulus);
  }
}

template <class Model>
void check_load(ringmill::Bench<Model>& bench, Run<Model>& run, bool bad, bool failed) {
  const std::uint64_t n = bench.parameter("N"), modulus = random_modulus(bench);
  run.memory.resize(n);
  for (std::uint64_t& word : run.memory) word = below(bench.random, modulus);
  if (bad) run.memory[below(bench.random, n)] = no_residue(bench.random, modulus);
  run.failed_beat.reset();
  if (failed) run.failed_beat = below(bench.random, n * 64 / bench.parameter("DataWidth"));
  const core::Instruction load{.opcode = core::LOAD,
                               .destination = static_cast<unsigned>(bench.random.below(32)),
                               .slot = static_cast<unsigned>(bench.random.below(16)),
                               .immediate = bench.random.word() & ~std::uint64_t{63}};
  run.go(load, modulus);
  bench.expect_equal(run.error, failed ? core::READ : bad ? core::WORD : core::NONE, "error of a LOAD");
  bench.expect(!run.modulus && run.constants.empty(), "a LOAD writes constants");
  for (std::uint64_t i = 0; i < n && !bad; ++i) {
    bench.expect(run.limb[i] == run.memory[i], "word " + std::to_string(i) + " of a limb");
  }
}

/// Ways in which a block is wrong.
enum class Wrong { NOTHING, LOW_BITS, TOO_LONG, HEAD, PADDING, CONSTANT };

template <class Model>
void check_constants(ringmill::Bench<Model>& bench, Run<Model>& run, Wrong wrong, bool failed) {
  ringmill::Random& random = bench.random;
  const std::uint64_t count = core::constant_count(bench), modulus = random_modulus(bench);
  Words& block = run.memory;
  block.assign(core::block_words(bench), 0);
  block[0] = modulus;
  for (std::uint64_t i = 0; i < count; ++i) block[8 + i] = below(random, modulus);
  const std::uint64_t bit = std::uint64_t{1} << below(random, 64);
  if (wrong == Wrong::LOW_BITS) block[0] ^= std::uint64_t{1} << below(random, bench.parameter("Word"));
  if (wrong == Wrong::TOO_LONG) block[0] |= std::uint64_t{1} << (63 - below(random, 64 - bench.parameter("Width")));
  if (wrong == Wrong::HEAD) block[1 + below(random, 7)] = bit;
  if (wrong == Wrong::PADDING && count % 8 != 0) block[8 + count + below(random, 8 - count % 8)] = bit;
  if (wrong == Wrong::CONSTANT) block[8 + below(random, count)] = no_residue(random, modulus);
  const bool bad = wrong != Wrong::NOTHING && (wrong != Wrong::PADDING || count % 8 != 0);
  run.failed_beat.reset();
  if (failed) run.failed_beat = below(random, block.size() * 64 / bench.parameter("DataWidth"));
  run.go({.opcode = core::CONSTANTS,
          .slot = static_cast<unsigned>(random.below(16)),
          .immediate = random.word() & ~std::uint64_t{63}},
         random.word() & static_cast<std::uint64_t>(ringmill::mask(static_cast<unsigned>(bench.parameter("Width")))));
  bench.expect_equal(run.error, failed ? core::READ : bad ? core::BLOCK : core::NONE, "error of CONSTANTS");
  bench.expect_equal(run.modulus.has_value(), !failed && !bad, "whether the modulus is written");
  if (run.modulus) bench.expect_equal(*run.modulus, modulus, "modulus");
  for (const auto& word : run.limb) bench.expect(!word, "CONSTANTS writes a limb");
  bench.expect_equal(run.constants.size(), count, "constants");
  for (std::uint64_t i = 0; i < run.constants.size() && !bad; ++i) {
    bench.expect_equal(run.constants[i], block[8 + i], "constant " + std::to_string(i));
  }
}

/// A strip into a row: words of any modulus, none with more than Width bits.
template <class Model>
void check_strip(ringmill::Bench<Model>& bench, Run<Model>& run, bool bad, bool failed) {
  ringmill::Random& random = bench.random;
  const std::uint64_t n = bench.parameter("N"), banks = 2 * bench.parameter("Units");
  const unsigned most = std::min<unsigned>(5, static_cast<unsigned>(std::bit_width(n / banks)) - 1);
  const unsigned log_rows = 1 + static_cast<unsigned>(random.below(most));
  const std::uint64_t length = n >> log_rows;
  run.memory.resize(length);
  const auto bound = std::uint64_t{1} << bench.parameter("Width");
  for (std::uint64_t& word : run.memory) word = below(random, bound);
  if (bad) run.memory[below(random, length)] = bound + below(random, ~bound);
  run.failed_beat.reset();
  if (failed) run.failed_beat = below(random, length * 64 / bench.parameter("DataWidth"));
  const auto draw = [&] { return static_cast<unsigned>(random.below(1U << log_rows)); };
  const core::Instruction load{.opcode = core::LOAD,
                               .operation = draw(),
                               .destination = static_cast<unsigned>(random.below(32)),
                               .b = draw(),
                               .count = log_rows,
                               .immediate = random.word() & 0xffffffffffc0};
  run.go(load, 0);
  bench.expect_equal(run.error, failed ? core::READ : bad ? core::WORD : core::NONE, "error of a strip");
  if (bad) return;
  // Words stay in their banks; their slots move from the strip's to the row's.
  const core::Places places(bench);
  const std::uint64_t slots = length / banks;
  std::uint64_t written = 0;
  for (const auto& word : run.limb) written += word.has_value();
  bench.expect_equal(written, length, "words of a strip");
  for (std::uint64_t i = 0; i < length; ++i) {
    const std::uint64_t index = load.operation * length + i;
    const std::uint64_t address = places.address(index) + load.b * slots - load.operation * slots;
    bench.expect(run.limb[places.index(places.bank(index), address)] == run.memory[i], "word of a strip");
  }
}

/// Ways in which a table is wrong.
enum class Flaw { NOTHING, SOURCES, TARGETS, FACTORS, HEAD, ZERO, PRIME, PADDING, LONG };

template <class Model>
void check_table(ringmill::Bench<Model>& bench, Run<Model>& run, Flaw flaw, bool failed) {
  ringmill::Random& random = bench.random;
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  unsigned sources = 1 + static_cast<unsigned>(random.below(31)), own = static_cast<unsigned>(random.below(2));
  const unsigned room = std::min<unsigned>(32, (1024 - 3 * sources) / (sources + 1 + own));
  unsigned targets = 1 + static_cast<unsigned>(random.below(room));
  if (flaw == Flaw::SOURCES) sources = random.chance(50) ? 0 : 32 + sources;
  if (flaw == Flaw::TARGETS) targets = random.chance(50) ? 0 : 32 + targets;
  if (flaw == Flaw::FACTORS) sources = 31, targets = 30, own = 1;
  const unsigned flags = static_cast<unsigned>(random.below(4));
  Words& block = run.memory;
  block.assign(8 + 64 + 1024, 0);
  block[0] = sources | targets << 8 | own << 16 | flags << 17;
  for (unsigned i = 0; i < std::min(sources, 32U); ++i) block[8 + i] = random_modulus(bench);
  for (unsigned i = 0; i < std::min(targets, 32U); ++i) block[40 + i] = random_modulus(bench);
  for (unsigned i = 72; i < block.size(); ++i) block[i] = below(random, std::uint64_t{1} << bench.parameter("Width"));
  const std::uint64_t bit = std::uint64_t{1} << below(random, 64);
  if (flaw == Flaw::HEAD) block[0] |= std::uint64_t{1} << (19 + below(random, 45));
  if (flaw == Flaw::ZERO) block[1 + below(random, 7)] = bit;
  if (flaw == Flaw::PRIME) block[random.chance(50) ? 8 : 40] ^= std::uint64_t{1} << below(random, word);
  const bool padded = sources < 32 || targets < 32;
  if (flaw == Flaw::PADDING) block[targets < 32 ? 40 + targets : 8 + sources] = bit;
  if (flaw == Flaw::LONG) block[72 + below(random, 1024)] |= std::uint64_t{1} << (63 - below(random, 64 - bench.parameter("Width")));
  const bool bad = flaw != Flaw::NOTHING && (flaw != Flaw::PADDING || padded);
  run.failed_beat.reset();
  if (failed) run.failed_beat = below(random, block.size() * 64 / bench.parameter("DataWidth"));
  run.go({.opcode = core::TABLE,
          .slot = static_cast<unsigned>(random.below(16)),
          .immediate = random.word() & ~std::uint64_t{63}},
         0);
  bench.expect_equal(run.error, failed ? core::READ : bad ? core::BAD_TABLE : core::NONE, "error of a TABLE");
  bench.expect_equal(run.shape.has_value(), !failed && !bad, "whether the shape is written");
  if (run.shape) bench.expect_equal(*run.shape, flags << 12 | own << 11 | targets << 5 | sources, "shape");
  for (const auto& limb : run.limb) bench.expect(!limb, "a TABLE writes a limb");
  bench.expect(run.constants.empty() && !run.modulus, "a TABLE writes constants");
  bench.expect_equal(run.table.size(), block.size(), "words of a table");
  if (!bad) bench.expect(run.table == block, "the words of a table");
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  bench->start_i = bench->request_ready_i = bench->data_valid_i = 0;
  bench.reset();
  Run<Model> run(bench);
  for (int i = 0; i < 120; ++i) {
    run.percent = i % 3 == 0 ? 100 : i % 3 == 1 ? 70 : 20;
    const bool failed = bench.random.chance(20);
    const bool converts = core::engine_of(bench) == core::XOR_BANKS;
    if (converts && i % 4 == 1) check_strip(bench, run, bench.random.chance(40), failed);
    if (converts && i % 4 == 2) {
      check_table(bench, run, static_cast<Flaw>(static_cast<unsigned>(bench.random.below(9))), failed);
    }
    if (bench.random.chance(40)) {
      check_load(bench, run, bench.random.chance(50), failed);
    } else {
      check_constants(bench, run, static_cast<Wrong>(static_cast<unsigned>(bench.random.below(6))), failed);
    }
  }
  // A cycle for the request, data from the next one on, two to done.
  run.percent = 100;
  check_load(bench, run, false, false);
  bench.expect_equal(run.cycles, 1 + bench.parameter("N") * 64 / bench.parameter("DataWidth") + 2, "cycles of a LOAD");
  check_constants(bench, run, Wrong::NOTHING, false);
  bench.expect_equal(run.cycles, 1 + run.memory.size() + 2, "cycles of CONSTANTS");
  if (core::engine_of(bench) == core::DEDICATED_READ) return;
  check_table(bench, run, Flaw::NOTHING, false);
  bench.expect_equal(run.cycles, 1 + run.memory.size() + 2, "cycles of a TABLE");
}
