// ntt_input beside its definition: polynomials scaled and placed, tables passed on with their addresses, packets of
// wrong lengths dropped, under pauses and with buffers that are freed late.

#include "../ports.h"
#include "../schedule.h"
#include "stream.h"

namespace {

using namespace ringmill;

enum Mode : unsigned { kRun = 0, kInputScale = 1, kOutputScale = 2, kFactors = 3, kOperands = 4 };

/// One word of a table on its way to the memories.
struct Placed {
  unsigned address;
  unsigned group;
  Wide data;

  bool operator==(const Placed&) const = default;
};

/// The module between a source of packets and memories.
template <class Model>
class Stage {
  using Data = std::remove_reference_t<decltype(std::declval<Model&>().data_i)>;

 public:
  Stage(Bench<Model>& bench, const Ring& ring)
      : bench_(bench), ring_(ring), source(bench->valid_i, bench->ready_o, bench->data_i, bench.random, &bench->last_i),
        stored{Words(ring.n(), kNothing), Words(ring.n(), kNothing)} {
    source.percent = 70;
    source.drive();
    bench->free_i = 0;
  }

  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};

 private:
  Bench<Model>& bench_;
  const Ring& ring_;
  /// The buffer that is freed next.
  unsigned oldest_ = 0;

 public:
  Source<Data> source;
  Words stored[2];
  std::vector<Placed> scales, factors;
  unsigned errors = 0;
  /// Chance that a full buffer is freed, in percent a cycle.
  unsigned frees = 0;

  void cycle() {
    const bool is_freed = (bench_->full_o >> oldest_ & 1) != 0 && bench_.random.chance(frees);
    bench_->free_i = is_freed ? 1U << oldest_ : 0;
    oldest_ ^= is_freed;
    source.drive();
    bench_.settle();
    source.sample();
    errors += bench_->error_o;
    if (bench_->output_scale_o) scales.push_back({bench_->load_beat_o, 0, get(bench_->load_data_o)});
    if (bench_->factor_o) {
      factors.push_back({bench_->factor_address_o, bench_->factor_group_o, get(bench_->load_data_o)});
    }
    for (unsigned bank = 0; bank < 2 * ring_.units(); ++bank) {
      // In a pass on bit 0 the slot is the address.
      if (!bit_of(bench_->write_o, bank)) continue;
      stored[bench_->write_region_o][index_of(ring_, 0, bench_->write_base_o, bank)] = bench_->write_data_o[bank];
    }
    bench_.step();
  }

  void send(const Words& words) {
    const auto count = static_cast<unsigned>(bench_.parameter("LinkWords"));
    for (std::size_t i = 0; i < words.size(); i += count) {
      Beat beat;
      for (unsigned j = 0; j < count; ++j) beat.data |= static_cast<Wide>(words[i + j]) << (32 * j);
      beat.last = i + count >= words.size();
      source.queue.push_back(beat);
    }
  }

  void run(Mode mode, const Words& words) {
    while (bench_->busy_o) cycle();
    bench_->mode_i = mode;
    send(words);
    do cycle(); while (!source.queue.empty());
  }
};

template <class Model>
Words random_words(Bench<Model>& bench, const Ring& ring, std::size_t count) {
  Words words(count);
  for (auto& word : words) word = static_cast<std::uint64_t>(bench.random.edgy(ring.modulus));
  return words;
}

/// The addresses of a table's groups, beside those that came.
template <class Model>
void check_factors(Bench<Model>& bench, const Ring& ring, Stage<Model>& stage, Mode mode,
                   const std::vector<unsigned>& addresses) {
  const auto count = static_cast<unsigned>(bench.parameter("LinkWords"));
  const unsigned groups = ring.units() / count;
  const Words words = random_words(bench, ring, addresses.size() * ring.units());
  stage.factors.clear();
  stage.run(mode, words);
  bench.expect_equal(stage.factors.size(), addresses.size() * groups, "beats of a table");
  for (std::size_t i = 0; i < stage.factors.size(); ++i) {
    Placed expected{addresses[i / groups], static_cast<unsigned>(i % groups), 0};
    for (unsigned j = 0; j < count; ++j) expected.data |= static_cast<Wide>(words[i * count + j]) << (32 * j);
    bench.expect(stage.factors[i] == expected, "beat " + std::to_string(i) + " of a table");
  }
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const Ring ring = shape_of(bench);
  const auto count = static_cast<std::size_t>(bench.parameter("LinkWords"));
  const std::uint64_t inverse_radix = power_mod(ring.radix, ring.modulus - 2, ring.modulus);
  bench->modulus_i = static_cast<std::uint32_t>(ring.modulus);
  bench->mode_i = kRun;
  bench->double_i = 0;
  Stage<Model> stage(bench, ring);
  bench.reset();

  const Words scale = random_words(bench, ring, ring.n());
  stage.run(kInputScale, scale);
  stage.run(kOutputScale, scale);
  bench.expect_equal(stage.scales.size(), ring.n() / count, "beats of the output scale");
  for (std::size_t i = 0; i < stage.scales.size(); ++i) {
    bench.expect_equal(stage.scales[i].address, i, "place of a beat of the output scale");
    bench.expect_equal(stage.scales[i].data & 0xffffffff, scale[i * count], "word of the output scale");
  }
  const unsigned slots = ring.slots(), k = ring.log_n;
  std::vector<unsigned> all, operands;
  for (unsigned a = 0; a < (2 * k + 2) * slots; ++a) all.push_back(a);
  for (unsigned a = 0; a < 2 * slots; ++a) operands.push_back((k - 1) * slots + a);
  for (unsigned a = 0; a < 2 * slots; ++a) operands.push_back(2 * k * slots + a);
  check_factors(bench, ring, stage, kFactors, all);
  check_factors(bench, ring, stage, kOperands, operands);
  check_factors(bench, ring, stage, kFactors, all);
  bench.expect_equal(stage.errors, 0, "errors of tables");

  while (bench->busy_o) stage.cycle();
  bench->mode_i = kRun;
  unsigned region = 0;
  for (unsigned i = 0; i < 20; ++i) {
    if (bench.random.chance(30)) {
      // Too short, or too long by up to two packets.
      const std::size_t beats = ring.n() / count;
      std::size_t length = ring.n();
      while (length == ring.n()) length = count * (1 + static_cast<std::size_t>(bench.random.below(3 * beats)));
      const unsigned errors = stage.errors;
      const unsigned full = bench->full_o;
      stage.frees = 0;
      stage.send(Words(length, 1));
      for (unsigned j = 0; j < 40 * ring.n() && !stage.source.queue.empty(); ++j) stage.cycle();
      for (unsigned j = 0; j < 20; ++j) stage.cycle();
      bench.expect_equal(stage.errors - errors, 1, "errors of a packet of wrong length");
      bench.expect_equal(bench->full_o, full, "buffers that are full after a packet of wrong length");
    }
    const Words words = random_words(bench, ring, ring.n());
    const bool twice = bench.random.chance(50);
    bench->double_i = twice;
    stage.frees = 0;
    stage.send(words);
    for (unsigned j = 0; j < 40 * ring.n() && (bench->full_o >> region & 1) == 0; ++j) stage.cycle();
    bench.expect(bench->full_o >> region & 1, "a buffer becomes full");
    bench.expect_equal(bench->double_o >> region & 1, twice, "number of products");
    for (std::size_t j = 0; j < words.size(); ++j) {
      const std::uint64_t expected = ring.times(ring.times(words[j], scale[j]), inverse_radix);
      bench.expect_equal(stage.stored[region][j], expected, "word " + std::to_string(j));
    }
    stage.stored[region].assign(ring.n(), Stage<Model>::kNothing);
    region ^= 1;
    // With both buffers full nothing is taken.
    if (bench->full_o == 3) {
      stage.send(words);
      for (unsigned j = 0; j < 2 * ring.n(); ++j) stage.cycle();
      bench.expect_equal(stage.source.queue.size(), ring.n() / count, "beats that wait for a buffer");
      stage.source.queue.clear();
      stage.send(words);
      stage.frees = 1;
      while (bench->full_o == 3) stage.cycle();
      stage.frees = 0;
      for (unsigned j = 0; j < 40 * ring.n() && bench->full_o != 3; ++j) stage.cycle();
      stage.frees = 50;
      while (bench->full_o != 0) stage.cycle();
      region ^= 1;
    }
  }
}
