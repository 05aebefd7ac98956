// ntt_output beside its definition, with the result memory in the bench: sums, then differences, scaled, in natural
// order, under pauses; a beat every cycle where there are none.

#include "../ports.h"
#include "../schedule.h"
#include "stream.h"

namespace {

using namespace ringmill;

/// The module between its memory and a sink.
template <class Model>
class Stage {
  using Data = std::remove_reference_t<decltype(std::declval<Model&>().data_o)>;

 public:
  Stage(Bench<Model>& bench, const Ring& ring)
      : bench_(bench), ring_(ring), sink(bench->valid_o, bench->ready_i, bench->data_o, bench.random, &bench->last_o),
        buffers(bench.parameter("ResultBuffers"), Words(ring.n())) {
    sink.drive();
    bench->done_i = 0;
    bench->scale_write_i = 0;
  }

 private:
  Bench<Model>& bench_;
  const Ring& ring_;

 public:
  Sink<Data> sink;
  std::vector<Words> buffers;
  unsigned unread = 0;

  void cycle() {
    sink.drive();
    bench_.settle();
    sink.sample();
    unread -= bench_->free_o;
    const bool reads = bench_->read_o;
    const unsigned region = bench_->read_region_o, base = bench_->read_base_o, mask = bench_->read_mask_o;
    bench_.step();
    for (unsigned bank = 0; bank < 2 * ring_.units() && reads; ++bank) {
      unsigned address = base;
      for (unsigned a = 0; a < 12; ++a) address ^= (mask >> a & bank >> (a % ring_.bank_bits()) & 1) << a;
      // In a pass on bit 0 the slot is the address.
      bench_->read_data_i[bank] = static_cast<std::uint32_t>(buffers[region][index_of(ring_, 0, address, bank)]);
    }
  }

  void announce(unsigned region, bool last) {
    bench_->done_i = 1;
    bench_->done_region_i = region;
    bench_->done_last_i = last;
    cycle();
    bench_->done_i = 0;
    ++unread;
  }
};

/// What a buffer becomes.
Words expected_words(const Ring& ring, const Words& buffer, const Words& scale, std::uint64_t inverse_radix) {
  Words result;
  for (std::uint64_t j = 0; j < ring.n(); ++j) {
    const std::uint64_t half = ring.n() / 2, lower = buffer[j % half], upper = buffer[j % half + half];
    const std::uint64_t value = (lower + (j < half ? upper : ring.negated(upper))) % ring.modulus;
    result.push_back(ring.times(ring.times(value, scale[j]), inverse_radix));
  }
  return result;
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const Ring ring = shape_of(bench);
  const auto count = static_cast<unsigned>(bench.parameter("LinkWords"));
  const std::uint64_t inverse_radix = power_mod(ring.radix, ring.modulus - 2, ring.modulus);
  const std::size_t beats = ring.n() / count;
  // Of the multipliers; deep, also the memory's word, the words in order, sum, correction.
  const unsigned latency = integer_multiplier_latency(32, ring.pipeline)
      + montgomery_latency(32, ring.word_bits(), ring.pipeline) + (ring.pipeline == 0 ? 0 : 4);
  bench->modulus_i = static_cast<std::uint32_t>(ring.modulus);
  Stage<Model> stage(bench, ring);
  bench.reset();
  Words scale(ring.n());
  for (auto& word : scale) word = static_cast<std::uint64_t>(bench.random.edgy(ring.modulus));
  for (unsigned beat = 0; beat < beats; ++beat) {
    Wide data = 0;
    for (unsigned j = 0; j < count; ++j) data |= static_cast<Wide>(scale[beat * count + j]) << (32 * j);
    bench->scale_write_i = 1;
    bench->scale_beat_i = beat;
    put(bench->scale_data_i, data);
    stage.cycle();
  }
  bench->scale_write_i = 0;

  const auto buffers = static_cast<unsigned>(stage.buffers.size());
  Words expected;
  std::vector<bool> is_last;
  const auto fill = [&] {
    Words& buffer = stage.buffers[is_last.size() % buffers];
    for (auto& word : buffer) word = static_cast<std::uint64_t>(bench.random.edgy(ring.modulus));
    const Words words = expected_words(ring, buffer, scale, inverse_radix);
    expected.insert(expected.end(), words.begin(), words.end());
    is_last.push_back(bench.random.chance(50));
  };
  for (unsigned i = 0; i < 24; ++i) {
    // The first ones run without pauses.
    stage.sink.percent = i < 8 ? 100 : 20 + static_cast<unsigned>(bench.random.below(81));
    while (stage.unread == buffers || (i >= 8 && bench.random.chance(90) && stage.unread != 0)) stage.cycle();
    fill();
    const std::uint64_t begin = bench.cycles();
    stage.announce(i % buffers, is_last.back());
    if (i != 7) continue;
    // Pending buffers follow each other without a pause.
    const std::size_t before = stage.sink.received.size();
    const std::uint64_t due = beats * 8 - before;
    while (bench->busy_o) stage.cycle();
    bench.expect_equal(stage.sink.received.size(), beats * 8, "beats without pauses");
    bench.expect(bench.cycles() - begin <= due + 5 + latency, "a beat every cycle");
  }
  while (bench->busy_o) stage.cycle();
  // A product that is complete before the one whose turn it is waits for it.
  for (unsigned i = 24; i < 32; i += 2) {
    fill();
    fill();
    stage.announce((i + 1) % buffers, is_last[i + 1]);
    for (unsigned wait = 2 * latency; wait-- > 0;) stage.cycle();
    bench.expect_equal(stage.sink.received.size(), beats * i, "beats out of turn");
    stage.announce(i % buffers, is_last[i]);
    while (bench->busy_o) stage.cycle();
  }
  bench.expect_equal(stage.unread, 0, "buffers that are not freed");
  bench.expect_equal(stage.sink.received.size(), beats * is_last.size(), "beats");
  for (std::size_t i = 0; i < stage.sink.received.size(); ++i) {
    const Beat& beat = stage.sink.received[i];
    bench.expect_equal(beat.last, is_last[i / beats] && i % beats == beats - 1, "last beat");
    for (unsigned j = 0; j < count; ++j) {
      const auto word = static_cast<std::uint32_t>(beat.data >> (32 * j));
      bench.expect_equal(word, expected[i * count + j], "word of the output");
    }
  }
}
