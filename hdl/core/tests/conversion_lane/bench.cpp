// conversion_lane beside wide integers: columns of random sources, fractions and results in the unit's order, moduli that
// change from product to product, sums near a boundary.

#include <optional>

#include "bench.h"
#include "latency.h"

namespace {

using ringmill::Wide;

/// What is done with a product: the lane's inputs, at their times.
struct Issue {
  unsigned column = 0, row = 0;
  std::uint64_t word = 0, constant = 0, modulus = 1;
  bool from_bank = false, fraction = false, fraction_first = false, low = false;
  bool keep = false, keep_quotient = false, first = false;
  unsigned keep_row = 0;
  // What the result must be, and whether v is doubtful.
  std::optional<std::uint64_t> sum;
  bool doubt = false;
};

template <class Model>
class Lane {
 public:
  explicit Lane(ringmill::Bench<Model>& bench) : bench_(bench) {
    const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
    width = number("Width");
    word = number("Word");
    const unsigned pipeline = number("Pipeline");
    product_ = 2 + ringmill::integer_multiplier_latency(width, pipeline);
    residue_ = product_ + ringmill::montgomery_latency(width, word, pipeline);
    lead_ = pipeline == 0 ? 0 : 1;
    issues_.resize(residue_ + 4);
  }

  unsigned width = 0, word = 0;
  unsigned doubts = 0;

  bool low = false;  // v is the low word of the sum

  void issue(const Issue& issue, bool half) {
    issues_.insert(issues_.begin(), issue);
    issues_.pop_back();
    bench_->column_i = issue.column;
    bench_->row_i = issue.row;
    bench_->word_i = issues_[2].word;
    bench_->from_bank_i = issues_[2].from_bank;
    bench_->constant_i = issues_[2].constant;
    const Issue& product = issues_[product_];
    bench_->fraction_i = product.fraction << 2 | product.fraction_first << 1 | product.low;
    bench_->half_i = half;
    bench_->low_i = low;
    bench_->modulus_i = issues_[product_ - lead_].modulus;
    const Issue& residue = issues_[residue_];
    bench_->residue_i = residue.keep << 9 | residue.keep_quotient << 8 | residue.column << 6 | residue.keep_row << 1 |
                        residue.first;
    bench_->sum_modulus_i = residue.modulus;
    bench_->last_modulus_i = issues_[residue_ + 2].modulus;
    bench_.settle();
    bench_.expect_equal(bench_->doubt_o, residue.keep_quotient && residue.doubt, "doubt");
    doubts += bench_->doubt_o;
    if (const auto sum = issues_[residue_ + 3].sum) bench_.expect_equal(bench_->result_o, *sum, "result");
    bench_.step();
  }

  void drain(bool half) {
    for (unsigned i = 0; i < residue_ + 5; ++i) issue({}, half);
  }

 private:
  ringmill::Bench<Model>& bench_;
  unsigned product_ = 0, residue_ = 0, lead_ = 0;
  std::vector<Issue> issues_;
};

/// a b / R modulo q.
std::uint64_t product(Wide a, Wide b, std::uint64_t q, std::uint64_t inverse_radix) {
  return static_cast<std::uint64_t>(a * b % q * inverse_radix % q);
}

template <class Model>
void column(ringmill::Bench<Model>& bench, Lane<Model>& lane, const std::vector<std::uint64_t>& primes, unsigned number) {
  auto& random = bench.random;
  const unsigned width = lane.width, fraction_bits = 2 * width - 16;
  const unsigned sources = 1 + static_cast<unsigned>(random.below(random.chance(80) ? 5 : 31));
  const bool half = random.chance(50);
  lane.low = random.chance(30);
  const auto prime = [&] { return primes[random.below(primes.size())]; };
  const auto inverse = [&](std::uint64_t q) {
    const std::uint64_t radix = ringmill::power_mod(2, lane.word * ((width + lane.word - 1) / lane.word), q);
    return ringmill::power_mod(radix, q - 2, q);
  };
  std::vector<std::uint64_t> kept;
  for (unsigned i = 0; i < sources; ++i) {
    const std::uint64_t q = prime(), x = static_cast<std::uint64_t>(random.edgy(Wide{1} << width)),
                        factor = static_cast<std::uint64_t>(random.edgy(q));
    kept.push_back(product(x, factor, q, inverse(q)));
    Issue issue{.column = number % 4, .word = x, .constant = factor, .modulus = q, .from_bank = true, .keep = true};
    issue.keep_row = i;
    lane.issue(issue, half);
  }
  lane.drain(half);
  // Fractions: any words as reciprocals will do, if a product stays below one. For a low word all words will do.
  const Wide one = Wide{1} << fraction_bits;
  Wide sum = half ? one / 2 : 0;
  for (unsigned i = 0; i < sources; ++i) {
    const std::uint64_t y = std::max<std::uint64_t>(kept[i], 1);
    const auto most = std::min<Wide>(lane.low ? one : (one - 1) / y, (Wide{1} << width) - 1);
    const auto high = static_cast<std::uint64_t>(random.edgy(most + 1));
    const auto low = static_cast<std::uint64_t>(random.edgy(Wide{1} << width));
    const Wide lower = Wide{kept[i]} * low >> width, upper = Wide{kept[i]} * high;
    for (const bool is_low : {true, false}) {
      Issue issue{.column = number % 4, .row = i, .constant = is_low ? low : high, .fraction = true};
      issue.fraction_first = i == 0 && is_low;
      issue.low = is_low;
      sum += is_low ? lower : upper;
      if (i + 1 == sources && !is_low) {
        issue.keep_quotient = true;
        issue.keep_row = sources;
        issue.doubt = !lane.low && sum % one >= one - 64;
      }
      lane.issue(issue, half);
    }
  }
  kept.push_back(static_cast<std::uint64_t>(lane.low ? sum % (Wide{1} << width) : sum >> fraction_bits));
  lane.drain(half);
  for (unsigned j = 0; j < 3; ++j) {
    const std::uint64_t q = prime(), inverse_radix = inverse(q);
    const bool own = random.chance(50);
    std::uint64_t result = 0;
    for (unsigned term = 0; term < kept.size() + own; ++term) {
      const bool is_own = own && term == 0;
      Issue issue{.column = number % 4, .row = is_own ? 0 : term - own, .modulus = q, .from_bank = is_own};
      issue.word = static_cast<std::uint64_t>(random.edgy(Wide{1} << width));
      issue.constant = static_cast<std::uint64_t>(random.edgy(q));
      issue.first = term == 0;
      const std::uint64_t word = is_own ? issue.word : kept[term - own];
      result = static_cast<std::uint64_t>((Wide{result} + product(word, issue.constant, q, inverse_radix)) % q);
      issue.sum = result;
      lane.issue(issue, half);
    }
  }
  lane.drain(half);
}

/// One source whose fraction and 1/2 are this far below 1: 64 units and less are doubtful.
template <class Model>
void boundary(ringmill::Bench<Model>& bench, Lane<Model>& lane, std::uint64_t q, unsigned below) {
  const unsigned width = lane.width, fraction_bits = 2 * width - 16;
  lane.low = false;
  const std::uint64_t radix = ringmill::power_mod(2, lane.word * ((width + lane.word - 1) / lane.word), q);
  // With y of more than Width - 16 bits, a y and a part of y below it are any fraction.
  const std::uint64_t least = std::uint64_t{1} << (width - 15), y = least + bench.random.below(q - least);
  lane.issue({.word = 1, .constant = static_cast<std::uint64_t>(Wide{y} * radix % q), .modulus = q, .from_bank = true,
              .keep = true},
             true);
  lane.drain(true);
  const Wide half = Wide{1} << (fraction_bits - 1), wanted = half - below;
  const auto high = static_cast<std::uint64_t>(wanted / y);
  const auto low = static_cast<std::uint64_t>(((wanted % y << width) + y - 1) / y);
  bench.expect(Wide{y} * high + (Wide{y} * low >> width) == wanted, "the fraction that is wanted");
  lane.issue({.constant = low, .fraction = true, .fraction_first = true, .low = true}, true);
  lane.issue({.constant = high, .fraction = true, .keep_quotient = true, .keep_row = 1, .doubt = below <= 64 && below > 0},
             true);
  lane.drain(true);
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  Lane<Model> lane(bench);
  const auto primes = ringmill::primes(bench.random, lane.width - 4, lane.width, lane.word);
  for (unsigned number = 0; number < 60; ++number) column(bench, lane, primes, number);
  for (unsigned i = 0; i < 50; ++i) {
    for (const unsigned below : {0U, 1U, 63U, 64U, 65U, 1000U}) boundary(bench, lane, primes[i % primes.size()], below);
  }
  bench.expect(lane.doubts >= 150, "doubtful columns");
}
