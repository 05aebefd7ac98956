// xor_banks between banks of the bench: transforms from one buffer to another and in place, and when it reads and writes.

#include "../host.h"
#include "../ports.h"

namespace {

using namespace xor_banks;

/// Banks of two buffers. Data comes two cycles after its address; a read returns what was there before its cycle.
template <class Model>
class Banks {
 public:
  Banks(ringmill::Bench<Model>& bench, const Shape& shape)
      : bench_(bench), shape_(shape), width_(static_cast<unsigned>(bench.parameter("Width"))),
        words_(shape.banks(), Words(2 * shape.slots())) {
    bench.before_edge = [this] { cycle(); };
  }

  std::uint64_t& at(unsigned buffer, std::uint64_t index) {
    return words_[shape_.bank(index)][buffer << shape_.slot_bits() | shape_.address(index)];
  }

  Words buffer(unsigned buffer) {
    Words result(shape_.n());
    for (std::uint64_t index = 0; index < shape_.n(); ++index) result[index] = at(buffer, index);
    return result;
  }

  void fill(unsigned buffer, const Words& words) {
    for (std::uint64_t index = 0; index < shape_.n(); ++index) at(buffer, index) = words[index];
  }

  std::uint64_t first_read = 0, last_write = 0;
  bool is_read = false;

 private:
  void cycle() {
    Words next(shape_.banks());
    if (bench_->read_o) {
      if (!is_read) first_read = bench_.cycles();
      is_read = true;
      for (unsigned bank = 0; bank < shape_.banks(); ++bank) {
        next[bank] = words_[bank][word_of(bench_->read_address_o, bank, shape_.slot_bits() + 1)];
      }
    }
    for (unsigned bank = 0; bank < shape_.banks(); ++bank) {
      if (!word_of(bench_->write_o, bank, 1)) continue;
      bench_.expect(bench_->busy_o, "writes while busy");
      last_write = bench_.cycles();
      words_[bank][word_of(bench_->write_address_o, bank, shape_.slot_bits() + 1)] =
          word_of(bench_->write_data_o, bank, width_);
    }
    data_.push_back(next);
    if (data_.size() <= 2) return;
    for (unsigned bank = 0; bank < shape_.banks(); ++bank) put_word(bench_->read_data_i, bank, width_, data_[0][bank]);
    data_.pop_front();
  }

  ringmill::Bench<Model>& bench_;
  Shape shape_;
  unsigned width_;
  std::vector<Words> words_;
  std::deque<Words> data_;
};

/// A transform from `source` to `destination`; the other words must stay.
template <class Model>
Words transform(ringmill::Bench<Model>& bench, Banks<Model>& banks, const Words& words, bool inverse,
                unsigned cycles) {
  const bool source = bench.random.chance(50), destination = bench.random.chance(50);
  const Words other = banks.buffer(!source);
  banks.fill(source, words);
  banks.is_read = false;
  bench->source_i = source;
  bench->destination_i = destination;
  run(bench, inverse, cycles);
  bench.expect_equal(banks.last_write - banks.first_read + 1, cycles, "cycles from the first read to the last write");
  if (source != destination) expect_words(bench, banks.buffer(source), words, "source");
  if (source == destination) expect_words(bench, banks.buffer(!source), other, "other buffer");
  return banks.buffer(destination);
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const unsigned latency = slot_latency_of(bench);
  bench->constant_write_i = 0;
  bench->constant_slot_i = 0;
  bench->start_i = 0;
  Banks<Model> banks(bench, shape_of(bench));
  bench.reset();
  // As many rings as there are slots are loaded at once and used in turn.
  const auto slots = static_cast<unsigned>(bench.parameter("Slots"));
  const std::vector<Ring> rings = rings_of(bench);
  for (std::size_t first = 0; first < rings.size(); first += slots) {
    for (unsigned slot = 0; slot < slots; ++slot) {
      bench->constant_slot_i = slot;
      load_constants(bench, rings[first + slot]);
    }
    for (unsigned i = 0; i < 2 * slots; ++i) {
      const Ring& ring = rings[first + i % slots];
      const unsigned cycles[] = {timetable(ring.shape, false, latency).cycles,
                                 timetable(ring.shape, true, latency).cycles};
      bench->slot_i = i % slots;
      ringmill::put(bench->modulus_i, ring.field.q);
      check_transforms(bench, ring, random_words(bench, ring), [&](const Words& words, bool inverse) {
        return transform(bench, banks, words, inverse, cycles[inverse]);
      });
    }
  }
}
