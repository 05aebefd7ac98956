// dedicated_core: butterflies, products and differences of random words with random factors of both memories.

#include "../fields.h"
#include "../shape.h"
#include "bench.h"

namespace {

using namespace dedicated;

/// An operation as the sequencer would say it, and the word that is read for it.
struct Issue {
  bool odd, paired, by_word, forward, few;
  unsigned keep;
  bool swap;
  std::uint64_t factor;
  std::uint64_t word[2];
};

/// Upper and lower result from the definition; `issue` is one of the two operations `first` and `second`.
std::pair<std::uint64_t, std::uint64_t> results(const Issue& issue, const Issue& first, const Issue& second,
                                                Wide factor, const Field& field, bool is_first_unit) {
  const Wide inverse = field.inverse(field.radix), q = field.q;
  Wide u = 0, v = 0;
  if (issue.paired) {
    u = first.word[issue.odd];
    v = second.word[issue.odd];
    if (issue.by_word) return {0, static_cast<std::uint64_t>(u * v % q * inverse % q)};
  } else {
    unsigned keep = issue.keep;
    if (is_first_unit && issue.swap) keep = (keep & 1) << 1 | keep >> 1;
    u = keep & 1 ? issue.word[0] : 0;
    v = keep & 2 ? issue.word[1] : 0;
  }
  const Wide plain = factor * inverse % q;
  if (issue.forward) {
    const Wide term = v * plain % q;
    return {static_cast<std::uint64_t>((u + term) % q), static_cast<std::uint64_t>((u + q - term) % q)};
  }
  return {static_cast<std::uint64_t>((u + v) % q), static_cast<std::uint64_t>((u + q - v) * plain % q)};
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  const Shape shape = shape_of(bench);
  const auto width = static_cast<unsigned>(bench.parameter("Width"));
  const auto word = static_cast<unsigned>(bench.parameter("Word"));
  const bool is_first_unit = bench.parameter("First");
  const unsigned latency = slot_latency(bench) - 3;
  for (const std::uint64_t q : ringmill::primes(bench.random, width, width, std::max(word, shape.k))) {
    const Field field = field_of(q, shape.n(), width, word);
    bench->modulus_i = q;
    bench->read_i = 1;
    Words factors[2] = {Words(2 * shape.words()), Words(shape.b + 2)};
    bench->constant_write_i = 1;
    for (const bool few : {false, true}) {
      for (std::size_t i = 0; i < factors[few].size(); ++i) {
        factors[few][i] = static_cast<std::uint64_t>(bench.random.edgy(q));
        bench->constant_few_i = few;
        bench->constant_address_i = i;
        bench->constant_data_i = factors[few][i];
        bench.step();
      }
    }
    bench->constant_write_i = 0;

    std::vector<Issue> issues;
    constexpr unsigned count = 2000;
    for (unsigned i = 0; i < count; ++i) {
      Issue issue{};
      if (i % 2 == 0) {
        issue.paired = bench.random.chance(40);
        issue.by_word = issue.paired && bench.random.chance(50);
        issue.forward = !issue.paired && bench.random.chance(50);
      } else {
        issue = issues.back();
      }
      issue.odd = i % 2;
      issue.keep = static_cast<unsigned>(bench.random.below(4));
      issue.swap = bench.random.chance(50);
      issue.few = bench.random.chance(30);
      issue.factor = static_cast<std::uint64_t>(bench.random.below(factors[issue.few].size()));
      for (auto& half : issue.word) half = static_cast<std::uint64_t>(bench.random.edgy(q));
      issues.push_back(issue);
    }
    for (unsigned i = 0; i < count + latency; ++i) {
      if (i < count) {
        bench->factor_few_i = issues[i].few;
        bench->factor_address_i = issues[i].factor;
      }
      if (i >= 1 && i - 1 < count) {
        put_field(bench->word_i, 0, width, issues[i - 1].word[0]);
        put_field(bench->word_i, width, width, issues[i - 1].word[1]);
      }
      if (i >= 2 && i - 2 < count) {
        const Issue& issue = issues[i - 2];
        bench->odd_i = issue.odd;
        bench->paired_i = issue.paired;
        bench->by_word_i = issue.by_word;
        bench->forward_i = issue.forward;
        bench->keep_i = issue.keep;
        bench->swap_first_i = issue.swap;
      }
      bench.step();
      if (i + 1 < latency || i + 1 - latency >= count) continue;
      const unsigned at = i + 1 - latency;
      const Issue& issue = issues[at];
      const auto [upper, lower] = results(issue, issues[at & ~1U], issues[at | 1U], factors[issue.few][issue.factor],
                                          field, is_first_unit);
      if (!issue.by_word) bench.expect_equal(bench->upper_o, upper, "upper result");
      bench.expect_equal(bench->lower_o, lower, "lower result");
    }
  }
}
