// stream_register: every word arrives once and in order under all pauses; a word every cycle without pauses.

#include "stream.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::Wide;
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  ringmill::Source source(bench->valid_i, bench->ready_o, bench->data_i, bench.random);
  ringmill::Sink sink(bench->valid_o, bench->ready_i, bench->data_o, bench.random);
  bench->valid_i = 0;
  bench->ready_i = 0;
  bench.reset();
  bench.expect_equal(bench->valid_o, 0, "valid after reset");
  for (const unsigned sending : {100, 70, 20}) {
    for (const unsigned receiving : {100, 70, 20}) {
      source.percent = sending;
      sink.percent = receiving;
      sink.received.clear();
      std::vector<ringmill::Beat> sent;
      for (int i = 0; i < 3000; ++i) sent.push_back({bench.random.below(Wide{1} << width), false});
      source.queue.assign(sent.begin(), sent.end());
      const std::uint64_t begin = bench.cycles();
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
