// stream_fifo: every word arrives once and in order under all pauses; how many words it takes while nothing is taken
// from it; a word every cycle without pauses.

#include "stream.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::Wide;
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const std::uint64_t depth = bench.parameter("Depth");
  ringmill::Source source(bench->valid_i, bench->ready_o, bench->data_i, bench.random);
  ringmill::Sink sink(bench->valid_o, bench->ready_i, bench->data_o, bench.random);
  bench->valid_i = 0;
  bench->ready_i = 0;
  bench.reset();
  bench.expect_equal(bench->valid_o, 0, "valid after reset");
  for (const unsigned sending : {100, 70, 20}) {
    for (const unsigned receiving : {100, 70, 20, 0}) {
      source.percent = sending;
      sink.percent = receiving;
      sink.received.clear();
      std::vector<ringmill::Beat> sent;
      for (int i = 0; i < 2000; ++i) sent.push_back({bench.random.below(Wide{1} << std::min(width, 127U)), false});
      source.queue.assign(sent.begin(), sent.end());
      const std::uint64_t begin = bench.cycles();
      for (int i = 0; receiving == 0 && i < 200; ++i) ringmill::stream_cycle(bench, source, sink);
      if (receiving == 0) {
        bench.expect_equal(sent.size() - source.queue.size(), depth, "words that find a place");
        sink.percent = 100;
      }
      while (sink.received.size() < sent.size() && bench.cycles() - begin < 100000) {
        ringmill::stream_cycle(bench, source, sink);
      }
      const std::string pace = std::to_string(sending) + "% offered, " + std::to_string(receiving) + "% taken";
      bench.expect(sink.received == sent, "words differ, " + pace);
      if (sending == 100 && receiving == 100) {
        bench.expect_equal(bench.cycles() - begin, sent.size() + 1, "cycles without pauses");
      }
      // Nothing may follow.
      sink.percent = 100;
      for (int i = 0; i < 10; ++i) ringmill::stream_cycle(bench, source, sink);
      bench.expect_equal(sink.received.size(), sent.size(), "words in all, " + pace);
    }
  }
}
