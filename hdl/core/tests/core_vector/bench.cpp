// core_vector between banks of the bench, beside its instructions' definitions by index: all of them, one after the
// other without a pause, also in place. The bench counts the cycles of each, and that each word is read and written once.

#include "../../../ntt_engine/xor_banks/tests/ports.h"
#include "../../../ntt_engine/xor_banks/tests/shape.h"
#include "latency.h"

namespace {

using ringmill::Wide;
using xor_banks::Dimension;
using xor_banks::put_word;
using xor_banks::Shape;
using xor_banks::word_of;
using xor_banks::Words;

constexpr unsigned kBuffers = 32;
constexpr unsigned kVector = 0x20, kMac = 0x21, kAutomorphism = 0x22;

enum Operation : unsigned { kAdd, kSubtract, kNegate, kMultiply, kScale, kFill };

struct Instruction {
  unsigned opcode, operation, destination, a, b, count;
  std::uint64_t immediate;

  bool is(Operation other) const { return opcode == kVector && operation == other; }
  unsigned terms() const { return opcode == kMac ? count : 1; }
  bool reads_a() const { return !is(kFill); }
  bool reads_b() const { return is(kAdd) || is(kSubtract) || is(kMultiply) || opcode == kMac; }
  std::string text() const {
    return "opcode " + ringmill::text(opcode) + ", operation " + std::to_string(operation) + ", immediate " +
           ringmill::text(immediate);
  }
};

/// Where an automorphism moves a word: each field of the index modulo its size.
std::uint64_t moved(const Shape& shape, std::uint64_t index, std::uint64_t shift) {
  std::uint64_t result = 0;
  for (const Dimension& field : shape.dimensions) {
    result |= ((index >> field.low) + (shift >> field.low)) % field.order() << field.low;
  }
  return result;
}

/// What the instruction leaves in its destination.
Words result_of(const Shape& shape, const std::vector<Words>& buffers, const Instruction& it, std::uint64_t q,
                Wide inverse_radix) {
  Words result(shape.n());
  for (std::uint64_t i = 0; i < shape.n(); ++i) {
    const Wide a = buffers[it.a][i], b = buffers[it.b][i];
    Wide value = 0;
    if (it.is(kAdd)) value = a + b;
    if (it.is(kSubtract)) value = a + q - b;
    if (it.is(kNegate)) value = q - a;
    if (it.is(kMultiply)) value = a * b % q * inverse_radix;
    if (it.is(kScale)) value = a * it.immediate % q * inverse_radix;
    if (it.is(kFill)) value = it.immediate;
    if (it.opcode == kAutomorphism) value = a;
    for (unsigned term = 0; it.opcode == kMac && term < it.count; ++term) {
      value += Wide{buffers[it.a + term][i]} * buffers[it.b + term][i] % q * inverse_radix % q;
    }
    result[it.opcode == kAutomorphism ? moved(shape, i, it.immediate) : i] = static_cast<std::uint64_t>(value % q);
  }
  return result;
}

/// The banks of all buffers, each word with the times that the instruction read it by each port and wrote it.
template <class Model>
class Banks {
 public:
  struct Place {
    std::uint64_t word;
    unsigned reads_a, reads_b, writes;
  };

  Banks(ringmill::Bench<Model>& bench, const Shape& shape)
      : bench_(bench), shape_(shape), width_(static_cast<unsigned>(bench.parameter("Width"))),
        places_(kBuffers * shape.n()), data_a_(2, Words(shape.banks())), data_b_(data_a_) {
    bench.before_edge = [this] { cycle(); };
  }

  Place& at(unsigned buffer, std::uint64_t index) {
    return place(buffer, shape_.bank(index), shape_.address(index));
  }

  void forget() {
    for (Place& place : places_) place.reads_a = place.reads_b = place.writes = 0;
  }

 private:
  Place& place(std::uint64_t buffer, unsigned bank, std::uint64_t address) {
    return places_[(buffer * shape_.banks() + bank) * shape_.slots() + address];
  }

  void cycle() {
    Words a(shape_.banks()), b(shape_.banks());
    for (unsigned bank = 0; bank < shape_.banks(); ++bank) {
      // Noise where nothing is read.
      a[bank] = b[bank] = bench_.random.word() & ringmill::mask(width_);
      if (bench_->read_a_o) {
        Place& read = place(bench_->buffer_a_o, bank, word_of(bench_->address_a_o, bank, shape_.slot_bits()));
        a[bank] = read.word;
        ++read.reads_a;
        bench_.expect(read.writes == 0, "a is read before it is written");
      }
      if (bench_->read_b_o) {
        Place& read = place(bench_->buffer_b_o, bank, bench_->address_b_o);
        b[bank] = read.word;
        ++read.reads_b;
        bench_.expect(read.writes == 0, "b is read before it is written");
      }
      if (word_of(bench_->write_o, bank, 1)) {
        Place& written = place(bench_->buffer_o, bank, word_of(bench_->address_o, bank, shape_.slot_bits()));
        written.word = word_of(bench_->data_o, bank, width_);
        ++written.writes;
      }
    }
    answer(bench_->data_a_i, data_a_, a);
    answer(bench_->data_b_i, data_b_, b);
  }

  /// Data comes two cycles after its address.
  template <class Port>
  void answer(Port& port, std::deque<Words>& data, const Words& next) {
    data.push_back(next);
    for (unsigned bank = 0; bank < shape_.banks(); ++bank) put_word(port, bank, width_, data.front()[bank]);
    data.pop_front();
  }

  ringmill::Bench<Model>& bench_;
  Shape shape_;
  unsigned width_;
  std::vector<Place> places_;
  std::deque<Words> data_a_, data_b_;
};

/// Cycles from a start to the next possible one: the slot's number and its addresses, a read for each term, bank, lane,
/// network.
template <class Model>
unsigned cycles_of(const ringmill::Bench<Model>& bench, const Shape& shape, unsigned terms) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const unsigned width = number("Width"), word = number("Word"), pipeline = number("Pipeline");
  const unsigned lane =
      ringmill::integer_multiplier_latency(width, pipeline) + ringmill::montgomery_latency(width, word, pipeline) + 3;
  const unsigned network = pipeline == 0 ? (shape.bank_bits() + 1) / 2 : shape.bank_bits();
  return 2 + terms * shape.slots() + 2 + lane + network;
}

/// Starts an instruction and steps until the unit can take the next one.
template <class Model>
void execute(ringmill::Bench<Model>& bench, const Shape& shape, const Instruction& it) {
  bench->start_i = 1;
  bench->opcode_i = it.opcode;
  bench->operation_i = it.operation;
  bench->destination_i = it.destination;
  bench->a_i = it.a;
  bench->b_i = it.b;
  bench->count_i = it.count;
  bench->immediate_i = it.immediate;
  const unsigned expected = cycles_of(bench, shape, it.terms());
  bool done = false;
  unsigned cycles = 0;
  while (!done && cycles < 2 * expected + 100) {
    bench.settle();
    done = bench->done_o;
    if (done) bench.expect(bench->write_o != 0, "done comes with the last write");
    bench.step();
    ++cycles;
    bench->start_i = 0;
    bench->opcode_i = 0;
    bench->immediate_i = bench.random.word();
  }
  bench.expect_equal(cycles, expected, "cycles of " + it.text());
  const unsigned bound = it.terms() * shape.slots() + (it.opcode == kAutomorphism ? 64 : 32);
  bench.expect(bench.parameter("Width") > 50 || cycles <= bound, "cycles within the data sheet's, " + it.text());
}

/// All words, and how often this instruction used each.
template <class Model>
void check(ringmill::Bench<Model>& bench, const Shape& shape, Banks<Model>& banks, const std::vector<Words>& buffers,
           const Instruction& it) {
  for (unsigned buffer = 0; buffer < kBuffers; ++buffer) {
    const bool in_a = it.a <= buffer && buffer < it.a + it.terms(), in_b = it.b <= buffer && buffer < it.b + it.terms();
    const std::string name = " of buffer " + std::to_string(buffer) + ", " + it.text();
    unsigned wrong = 0;
    for (std::uint64_t i = 0; i < shape.n(); ++i) {
      const auto& place = banks.at(buffer, i);
      wrong += place.word != buffers[buffer][i] || place.reads_a != (in_a && it.reads_a()) ||
               place.reads_b != (in_b && it.reads_b()) || place.writes != (buffer == it.destination);
    }
    bench.expect_equal(wrong, 0, "words that are wrong, or not read or written once" + name);
  }
}

/// Instructions of every kind; buffers at random, in place where the data sheet allows it.
std::vector<Instruction> program(ringmill::Random& random, const Shape& shape, std::uint64_t q) {
  std::vector<Instruction> result;
  const auto buffer = [&] { return static_cast<unsigned>(random.below(kBuffers)); };
  const auto constant = [&] { return static_cast<std::uint64_t>(random.edgy(q)); };
  for (unsigned operation = kAdd; operation <= kFill; ++operation) {
    const unsigned a = buffer(), b = buffer();
    result.push_back({kVector, operation, buffer(), a, b, 0, constant()});
    result.push_back({kVector, operation, a, a, b, 0, constant()});
    result.push_back({kVector, operation, b, a, b, 0, constant()});
    result.push_back({kVector, operation, a, a, a, 0, constant()});
  }
  for (const unsigned count : {1, 2, 3, 7, 15}) {
    const auto first = static_cast<unsigned>(random.below(16 - count + 1));
    result.push_back({kMac, 0, 31, first, 15, count, 0});
    result.push_back({kMac, 0, 30, first, first, count, 0});
  }
  result.push_back({kMac, 0, 0, 1, 1, 31, 0});
  std::vector<std::uint64_t> shifts{0, 1, shape.n() / 2, shape.n() - 1};
  for (const Dimension& field : shape.dimensions) {
    shifts.push_back(random.below(field.order()) << field.low);
    shifts.push_back((field.order() - 1) << field.low);
  }
  for (unsigned i = 0; i < 8; ++i) shifts.push_back(static_cast<std::uint64_t>(random.below(shape.n())));
  for (const std::uint64_t shift : shifts) {
    const unsigned a = buffer();
    result.push_back({kAutomorphism, 0, (a + 1 + static_cast<unsigned>(random.below(kBuffers - 1))) % kBuffers, a, 0, 0,
                      shift});
  }
  for (std::size_t i = result.size(); i > 1; --i) std::swap(result[i - 1], result[random.below(i)]);
  return result;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const auto log2 = [&](const char* name) { return ringmill::bit_length(number(name)) - 1; };
  const unsigned width = number("Width"), word = number("Word");
  const Shape shape(log2("N"), log2("Units"), true);
  Banks<Model> banks(bench, shape);
  std::vector<Words> buffers(kBuffers, Words(shape.n()));
  bench->start_i = 0;
  bench.reset();
  for (const std::uint64_t q : {ringmill::prime_from((Wide{1} << width) - 1, width, word, true),
                                ringmill::prime_from(Wide{1} << (width - 5), width - 4, word, false)}) {
    const std::uint64_t radix = ringmill::power_mod(2, word * ((width + word - 1) / word), q);
    const Wide inverse_radix = ringmill::power_mod(radix, q - 2, q);
    bench->modulus_i = q;
    for (unsigned buffer = 0; buffer < kBuffers; ++buffer) {
      for (std::uint64_t i = 0; i < shape.n(); ++i) {
        banks.at(buffer, i).word = buffers[buffer][i] = static_cast<std::uint64_t>(bench.random.edgy(q));
      }
    }
    for (const Instruction& instruction : program(bench.random, shape, q)) {
      banks.forget();
      const Words result = result_of(shape, buffers, instruction, q, inverse_radix);
      execute(bench, shape, instruction);
      buffers[instruction.destination] = result;
      check(bench, shape, banks, buffers, instruction);
    }
  }
  for (unsigned i = 0; i < 100; ++i) {
    bench.expect(!bench->read_a_o && !bench->read_b_o && !bench->done_o, "an idle unit does nothing");
    bench.step();
  }
}
