// montgomery_step beside exact quotients: (T - T_L q) / 2^Word for T from -q on, with q added at the end if Last says so;
// where the modulus moves, with another one for each value.

#include "bench.h"
#include "latency.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using ringmill::text;
  using ringmill::Wide;
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  const auto width_in = static_cast<unsigned>(bench.parameter("WidthIn"));
  const bool is_last = bench.parameter("Last") != 0;
  const auto pipeline = static_cast<unsigned>(bench.parameter("Pipeline"));
  const unsigned latency = ringmill::montgomery_step_latency(width, word, pipeline, is_last);
  const unsigned width_out = std::max(width_in - word, width + 1);
  const bool moves = bench.parameter_or("ModulusMoves", 0) != 0, early = pipeline != 0;
  const std::vector<std::uint64_t> moduli = ringmill::primes(bench.random, std::min(width, 22U), width, word);
  for (const std::uint64_t first : moduli) {
    std::uint64_t next = first;
    bench->modulus_i = first;
    bench->enable_i = 1;
    bench.step();
    ringmill::check_pipeline(bench, latency, 1500, bench->value_o, [&](std::string& inputs) {
      const std::uint64_t q = next;
      if (moves) next = moduli[static_cast<std::size_t>(bench.random.below(moduli.size()))];
      bench->modulus_i = early ? next : q;
      // The last step's result must be below q.
      const Wide most = ringmill::mask(width_in - 1);
      const Wide bound = is_last ? std::min(Wide{q} << word, most) : most;
      const auto value = static_cast<__int128>(bench.random.edgy(bound + q)) - q;
      const auto low = value & static_cast<__int128>(ringmill::mask(word));
      __int128 result = (value - low * static_cast<__int128>(q)) / (static_cast<__int128>(1) << word);
      if (is_last && result < 0) result += q;
      ringmill::put(bench->value_i, static_cast<Wide>(value) & ringmill::mask(width_in));
      inputs = "step from " + text(static_cast<Wide>(value)) + " mod " + text(q);
      return static_cast<Wide>(result) & ringmill::mask(width_out);
    });
  }
}
