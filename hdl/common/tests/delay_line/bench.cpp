// delay_line beside a queue.

#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const auto width = static_cast<unsigned>(bench.parameter("Width")), depth = static_cast<unsigned>(bench.parameter("Depth"));
  const auto drive = [&](std::string& inputs) {
    const ringmill::Wide word = bench.random.below(ringmill::mask(width));
    ringmill::put(bench->data_i, word);
    inputs = "a word";
    return word;
  };
  if (depth != 0) {
    ringmill::check_pipeline(bench, depth, 2000, bench->data_o, std::function<ringmill::Wide(std::string&)>(drive));
    return;
  }
  for (unsigned i = 0; i < 100; ++i) {
    std::string inputs;
    const ringmill::Wide word = drive(inputs);
    bench.settle();
    bench.expect_equal(ringmill::get(bench->data_o), word, "a wire");
  }
}
