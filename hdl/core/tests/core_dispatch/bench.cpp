// core_dispatch beside the data sheet: sequences of descriptors, whose errors depend on those before them, with a
// scoreboard that has room now and then.

#include "../check.h"

namespace {

using namespace core;

template <class Model>
class World {
 public:
  explicit World(ringmill::Bench<Model>& bench) : bench_(bench), state_(bench) { random_window(bench, state_); }

  /// A random descriptor. Whether it was good.
  bool next() {
    Descriptor descriptor = random_descriptor(bench_, state_);
    // Slots are loaded now and then only, and nothing is there before one is.
    const bool loads = descriptor.opcode == CONSTANTS ? state_.moduli[0].has_value()
                                                      : descriptor.opcode == TABLE && state_.tables[0].has_value();
    if (loads && bench_.random.chance(80)) return true;
    const bool failed = bench_.random.chance(1);
    const unsigned error = failed ? 15 : error_of(descriptor, state_);
    const std::uint64_t address = 32 * bench_.random.below(1ULL << 50);
    offer(descriptor, address, failed);
    if (error != 0) {
      expect_error(error, address);
      return false;
    }
    if (descriptor.opcode == WAIT || descriptor.opcode == INTERRUPT) {
      pass_barrier(descriptor);
    } else {
      hand_on(descriptor, address);
    }
    update(descriptor);
    return true;
  }

  unsigned good = 0;

 private:
  void idle_inputs() {
    bench_->ready_i = 0;
    bench_->empty_i = 0;
    bench_->slots_i = bench_->tables_i = 0;
  }

  /// What is loaded is in use, or all else is.
  void use(const Descriptor& descriptor, bool used) {
    const unsigned mask = used ? 1U << descriptor.slot : 0xffff & ~(1U << descriptor.slot);
    const unsigned others = bench_.random.below(0x10000);
    bench_->slots_i = descriptor.opcode == CONSTANTS ? mask : others;
    bench_->tables_i = descriptor.opcode == TABLE ? mask : others;
  }

  void offer(const Descriptor& descriptor, std::uint64_t address, bool failed) {
    idle_inputs();
    bench_.expect(bench_->ready_o && bench_->idle_o, "ready for a descriptor");
    bench_->valid_i = 1;
    put_descriptor(bench_->descriptor_i, descriptor);
    bench_->address_i = address;
    bench_->failed_i = failed;
    if ((descriptor.opcode == CONSTANTS || descriptor.opcode == TABLE) && descriptor.slot < 16) use(descriptor, true);
    bench_.step();
    bench_->valid_i = 0;
    put_descriptor(bench_->descriptor_i, {});
    for (unsigned i = 0; i < 2; ++i) {
      bench_.expect(!bench_->valid_o && bench_->error_o == 0 && !bench_->idle_o, "checks");
      bench_.step();
    }
  }

  void expect_error(unsigned error, std::uint64_t address) {
    bench_.expect_equal(bench_->error_o, error, "error");
    bench_.expect_equal(bench_->address_o, address, "address of the descriptor");
    bench_.expect(!bench_->valid_o && !bench_->dispatched_o, "nothing is handed on");
    bench_->stop_i = 1;
    bench_.step();
    bench_.expect(bench_->error_o == 0 && !bench_->ready_o, "stopped");
    bench_->clear_i = 1;
    bench_.step();
    bench_->clear_i = bench_->stop_i = 0;
    bench_.settle();
    state_.moduli.assign(state_.slots, std::nullopt);
    state_.tags.assign(state_.limbs, std::nullopt);
    state_.tables.assign(state_.tables.size(), std::nullopt);
  }

  void pass_barrier(const Descriptor& descriptor) {
    for (unsigned i = bench_.random.below(4); i > 0; --i) {
      bench_.expect(bench_->held_o && !bench_->dispatched_o && !bench_->interrupt_o && !bench_->valid_o, "held");
      bench_.step();
    }
    bench_->empty_i = 1;
    bench_.settle();
    bench_.expect(bench_->dispatched_o && !bench_->held_o, "passes");
    bench_.expect_equal(bench_->interrupt_o, descriptor.opcode == INTERRUPT, "interrupt");
    bench_.step();
  }

  void hand_on(const Descriptor& descriptor, std::uint64_t address) {
    const bool loads = descriptor.opcode == CONSTANTS || descriptor.opcode == TABLE;
    if (loads) {
      for (unsigned i = bench_.random.below(4); i > 0; --i) {
        bench_.expect(bench_->held_o && !bench_->valid_o, "held while the slot or table is in use");
        bench_.step();
      }
      use(descriptor, false);
      bench_.settle();
    }
    for (unsigned i = bench_.random.below(4); i > 0; --i) {
      bench_.expect(bench_->valid_o && bench_->full_o && !bench_->dispatched_o, "waits for room");
      bench_.step();
    }
    bench_->ready_i = 1;
    bench_.settle();
    bench_.expect(bench_->valid_o && bench_->dispatched_o && !bench_->full_o, "handed on");
    bench_.expect(instruction_of(bench_->instruction_o) == instruction_of_descriptor(descriptor), "instruction");
    bench_.expect_equal(bench_->unit_o, unit_of(descriptor), "unit");
    bench_.expect_equal(bench_->uses_o, uses_of(descriptor, state_), "buffers");
    bench_.expect_equal(bench_->address_o, address, "its descriptor");
    bench_.step();
    bench_->ready_i = 0;
    if (loads) load(descriptor);
  }

  /// The slot or table stays in use until its block is there; a bad one writes nothing.
  void load(const Descriptor& descriptor) {
    const auto width = static_cast<unsigned>(bench_.parameter("Width"));
    if (descriptor.opcode == TABLE) state_.tables[descriptor.slot].reset();
    else state_.moduli[descriptor.slot].reset();
    use(descriptor, true);
    for (unsigned i = bench_.random.below(4); i > 0; --i) {
      bench_.step();
      bench_.expect(bench_->held_o && !bench_->ready_o, "held while constants come");
    }
    bench_->modulus_slot_i = descriptor.slot;
    if (descriptor.opcode == TABLE) {
      if (bench_.random.chance(95)) {
        const Shape shape = random_shape(bench_.random);
        bench_->shape_write_i = 1;
        ringmill::put(bench_->shape_i, bits_of(shape));
        state_.tables[descriptor.slot] = shape;
        bench_.step();
        bench_->shape_write_i = 0;
      }
    } else if (bench_.random.chance(95)) {
      const auto modulus = static_cast<std::uint64_t>(bench_.random.edgy((ringmill::Wide{1} << width) - 1)) | 1;
      bench_->modulus_write_i = 1;
      ringmill::put(bench_->modulus_i, modulus);
      state_.moduli[descriptor.slot] = modulus;
      bench_.step();
      bench_->modulus_write_i = 0;
    }
    bench_->slots_i = bench_->tables_i = 0;
    bench_.step();
  }

  void update(const Descriptor& descriptor) {
    ++good;
    const bool of_rows = is_strip(descriptor) || descriptor.opcode == CONVERT;
    for (const unsigned buffer : written_of(descriptor, state_)) {
      state_.tags[buffer] = of_rows ? State::kRows : descriptor.slot;
    }
    if (descriptor.opcode != CONSTANTS) return;
    for (auto& tag : state_.tags) {
      if (tag == descriptor.slot) tag.reset();
    }
  }

  ringmill::Bench<Model>& bench_;
  State state_;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  bench->clear_i = bench->stop_i = bench->valid_i = bench->modulus_write_i = bench->shape_write_i = 0;
  bench.reset();
  unsigned good = 0;
  for (unsigned round = 0; round < 20; ++round) {
    World<Model> world(bench);
    bench->stop_i = bench->clear_i = 1;
    bench.step();
    bench->stop_i = bench->clear_i = 0;
    bench.settle();
    for (unsigned i = 0; i < 500; ++i) world.next();
    good += world.good;
  }
  // A round whose window is short has few.
  bench.expect(good > 1000, "good instructions: " + std::to_string(good));
}
