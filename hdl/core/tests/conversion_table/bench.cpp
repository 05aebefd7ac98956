// conversion_table beside a copy of its blocks: all words by their places, reads two cycles later, in any order.

#include <deque>

#include "../bits.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  constexpr unsigned kHead = 8, kPrimes = 64, kFactors = 1024, kWords = kHead + kPrimes + kFactors;
  const auto tables = static_cast<unsigned>(bench.parameter("Tables"));
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  std::vector<std::vector<std::uint64_t>> words(tables, std::vector<std::uint64_t>(kWords));
  const auto write = [&](unsigned table, unsigned word) {
    words[table][word] = static_cast<std::uint64_t>(bench.random.edgy(ringmill::Wide{1} << width));
    bench->write_i = 1;
    bench->write_table_i = table;
    bench->write_word_i = word;
    ringmill::put(bench->write_data_i, words[table][word]);
    bench.step();
    bench->write_i = 0;
  };
  for (unsigned table = 0; table < tables; ++table) {
    for (unsigned word = 0; word < kWords; ++word) write(table, word);
  }
  struct Read {
    std::uint64_t prime, factor;
  };
  std::deque<Read> expected;
  for (unsigned i = 0; i < 20000; ++i) {
    const auto table = static_cast<unsigned>(bench.random.below(tables));
    const auto prime = static_cast<unsigned>(bench.random.below(kPrimes));
    const auto factor = static_cast<unsigned>(bench.random.below(kFactors));
    bench->read_table_i = table;
    bench->prime_i = prime;
    bench->factor_i = factor;
    expected.push_back({words[table][kHead + prime], words[table][kHead + kPrimes + factor]});
    bench.step();
    if (expected.size() < 2) continue;
    bench.expect_equal(bench->prime_o, expected.front().prime, "prime");
    bench.expect_equal(bench->factor_o, expected.front().factor, "factor");
    expected.pop_front();
    // Now and then another word, while nothing is on its way.
    if (!bench.random.chance(1)) continue;
    expected.clear();
    write(static_cast<unsigned>(bench.random.below(tables)), static_cast<unsigned>(bench.random.below(kWords)));
  }
}
