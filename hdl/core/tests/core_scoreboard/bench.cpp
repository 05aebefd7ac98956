// core_scoreboard beside a list of instructions in their order: each starts when no earlier one of its unit or of one of
// its buffers is left, and not later than it must.

#include <array>
#include <list>

#include "../instruction.h"

namespace {

constexpr unsigned kUnits = 5;

struct Entry {
  std::uint64_t id;
  unsigned unit;
  std::uint64_t uses;
  unsigned slot;
  unsigned opcode, count;
  bool running;
  unsigned left;   // cycles of work, while it runs
  unsigned ready;  // cycles for which nothing has held it
};

template <class Model>
class World {
 public:
  explicit World(ringmill::Bench<Model>& bench)
      : bench_(bench), limbs_(static_cast<unsigned>(bench.parameter("Limbs"))),
        entries_(static_cast<unsigned>(bench.parameter("Entries"))) {}

  /// A cycle in which instructions come with this chance.
  void cycle(unsigned chance) {
    offer(chance);
    finish();
    bench_.settle();
    check_state();
    const bool taken = bench_->valid_i && bench_->ready_o;
    bench_.step();
    for (auto i = list_.begin(); i != list_.end();) i = (i->running && i->left == 0) ? list_.erase(i) : std::next(i);
    if (bench_->stop_i) list_.remove_if([](const Entry& entry) { return !entry.running; });
    if (taken) list_.push_back(offered_);
    check_starts();
  }

  bool empty() const { return list_.empty(); }
  unsigned started = 0;

 private:
  void offer(unsigned chance) {
    if (!bench_->valid_i || bench_->ready_o) {
      bench_->valid_i = bench_.random.chance(chance);
      const unsigned opcodes[] = {core::LOAD, core::STORE, core::VECTOR, core::MAC, core::TABLE, core::CONVERT};
      offered_ = {next_++,
                  static_cast<unsigned>(bench_.random.below(kUnits)),
                  0,
                  static_cast<unsigned>(bench_.random.below(3)),
                  opcodes[bench_.random.below(6)],
                  static_cast<unsigned>(bench_.random.below(2)),
                  false,
                  0,
                  0};
      for (unsigned i = bench_.random.below(4); i > 0; --i) offered_.uses |= 1ULL << bench_.random.below(limbs_);
    }
    bench_->unit_i = offered_.unit;
    bench_->uses_i = offered_.uses;
    core::Instruction instruction;
    instruction.immediate = offered_.id;
    instruction.slot = offered_.slot;
    instruction.opcode = offered_.opcode;
    instruction.count = offered_.count;
    ringmill::put(bench_->instruction_i, instruction.bits());
    bench_->address_i = 32 * offered_.id;
  }

  void finish() {
    unsigned done = 0;
    for (Entry& entry : list_) {
      if (!entry.running) continue;
      if (entry.left > 0) --entry.left;
      if (entry.left == 0) done |= 1U << entry.unit;
    }
    bench_->done_i = done;
  }

  bool is_held(const Entry& entry) const {
    for (const Entry& earlier : list_) {
      if (&earlier == &entry) return false;
      if (earlier.unit == entry.unit || (earlier.uses & entry.uses) != 0) return true;
    }
    return false;
  }

  void check_state() {
    unsigned slots = 0, tables = 0;
    for (const Entry& entry : list_) {
      const bool of_table = entry.opcode == core::TABLE || entry.opcode == core::CONVERT;
      // Strips have no slot.
      const bool strip = (entry.opcode == core::LOAD || entry.opcode == core::STORE) && entry.count != 0;
      if (of_table) tables |= 1U << entry.slot;
      else if (!strip) slots |= 1U << entry.slot;
    }
    bench_.expect_equal(bench_->slots_o, slots, "slots in use");
    bench_.expect_equal(bench_->tables_o, tables, "tables in use");
    bench_.expect_equal(bench_->idle_o, list_.empty(), "idle");
    bench_.expect(!bench_->ready_o || list_.size() < entries_, "a free entry");
    bench_.expect(bench_->stop_i || list_.size() == entries_ || bench_->ready_o, "ready while there is a free entry");
  }

  void check_starts() {
    std::array<Entry*, kUnits> first{};
    for (Entry& entry : list_) {
      if (!entry.running && first[entry.unit] == nullptr) first[entry.unit] = &entry;
    }
    for (unsigned unit = 0; unit < kUnits; ++unit) {
      if (!(bench_->start_o >> unit & 1)) continue;
      Entry* entry = first[unit];
      bench_.expect(entry != nullptr, "something to start");
      if (entry == nullptr) continue;
      bench_.expect(!is_held(*entry), "nothing before it is left");
      bench_.expect_equal(core::instruction_of(bench_->instruction_o, unit).immediate, entry->id, "instruction");
      bench_.expect_equal(core::bits(bench_->address_o, 64 * unit, 64), 32 * entry->id, "its descriptor");
      entry->running = true;
      entry->left = 1 + static_cast<unsigned>(bench_.random.below(20));
      ++started;
    }
    for (Entry& entry : list_) {
      entry.ready = entry.running || is_held(entry) || bench_->stop_i ? 0 : entry.ready + 1;
      bench_.expect(entry.ready <= 2, "a start without delay");
    }
  }

  ringmill::Bench<Model>& bench_;
  unsigned limbs_, entries_;
  std::list<Entry> list_;
  Entry offered_{};
  std::uint64_t next_ = 1;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  bench->valid_i = bench->stop_i = bench->done_i = 0;
  bench.reset();
  World<Model> world(bench);
  for (unsigned round = 0; round < 20; ++round) {
    for (unsigned i = 0; i < 500; ++i) world.cycle(round % 3 == 0 ? 100 : 30);
    bench->stop_i = round % 2;
    for (unsigned i = 0; i < 400 && !(bench->idle_o && !bench->valid_i); ++i) world.cycle(0);
    bench.expect(bench->stop_i || world.empty(), "everything is done");
    for (unsigned i = 0; i < 30; ++i) world.cycle(0);
    bench.expect(world.empty(), "nothing is left");
    bench->stop_i = 0;
  }
  bench.expect(world.started > 500, "many instructions");
}
