// post_recursion beside L + x^h (S - L - H) + x^(2h) H, with streams that come in any order, up to a product ahead.

#include <algorithm>
#include <array>

#include "../numbers.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

namespace {

using karatsuba::Polynomial;

template <class Model>
class Recursion {
 public:
  explicit Recursion(ringmill::Bench<Model>& bench)
      : bench_(bench), half_(parameter("Half")), chunks_(parameter("Chunks")), width_(parameter("Width")),
        lanes_(parameter("Lanes")), length_(half_ * chunks_) {
    bench_->valid_i = 0;
    bench_.reset();
  }

  /// Products in a row: streams begin at once if `eager`, or when they like.
  void run(unsigned count, bool eager) {
    inputs_.clear();
    for (unsigned i = 0; i < count; ++i) inputs_.push_back(random());
    std::array<unsigned, 6> sent{};
    unsigned done = 0, at = 0;
    // Cycles since all streams of a product have begun.
    std::vector<unsigned> since(count, 0);
    unsigned begun = 0, gaps = 0;
    while (done < count) {
      unsigned valid = 0;
      for (unsigned stream = 0; stream < 6; ++stream) {
        const unsigned which = sent[stream] / length_, place = sent[stream] % length_;
        // A third product comes as the words of the first one leave for the last time.
        const bool room = which < done + 2 || (which == done + 2 && at > length_);
        if (which >= count || (place == 0 && (!room || (!eager && bench_.random.chance(90))))) continue;
        valid |= 1u << stream;
        for (unsigned lane = 0; lane < lanes_; ++lane) {
          const auto& number = inputs_[which][stream / 2][lane][stream % 2 * half_ + place / chunks_];
          xor_banks::put_word(bench_->data_i, stream * lanes_ + lane, width_, number[place % chunks_]);
        }
        ++sent[stream];
      }
      bench_->valid_i = valid;
      const unsigned least = *std::min_element(sent.begin(), sent.end());
      bench_.step();
      while (begun < count && least > begun * length_) ++begun;
      for (unsigned i = 0; i < begun; ++i) ++since[i];
      if (at != 0) bench_.expect(bench_->valid_o, "no gap");
      bench_.expect_equal(bench_->first_o, bench_->valid_o && at == 0, "a product begins");
      if (at == 0) {
        // At once, or four cycles after the last stream began.
        bench_.expect(bench_->valid_o == (done < begun && (since[done] >= 4 && (gaps == 0 || since[done] == 4))), "latency");
        gaps = bench_->valid_o ? 0 : gaps + 1;
      }
      if (!bench_->valid_o) continue;
      check(done, at);
      if (++at == 2 * length_) {
        at = 0;
        ++done;
      }
    }
    bench_->valid_i = 0;
    bench_.step();
    bench_.expect(!bench_->valid_o, "done");
  }

 private:
  // For L, H and S, for each lane, a polynomial of twice the half.
  using Input = std::array<std::vector<Polynomial>, 3>;

  unsigned parameter(const char* name) const { return static_cast<unsigned>(bench_.parameter(name)); }

  Input random() {
    Input input;
    for (auto& product : input) {
      for (unsigned lane = 0; lane < lanes_; ++lane) {
        Polynomial polynomial;
        for (unsigned i = 0; i < 2 * half_; ++i) {
          polynomial.push_back(karatsuba::random_number(bench_.random, chunks_, width_, 0));
        }
        product.push_back(polynomial);
      }
    }
    return input;
  }

  void check(unsigned which, unsigned at) {
    for (unsigned lane = 0; lane < lanes_; ++lane) {
      const unsigned i = at / chunks_, c = at % chunks_;
      bench_.expect_equal(xor_banks::word_of(bench_->low_o, lane, width_), expected(which, lane, i)[c], "low " + std::to_string(at));
      bench_.expect_equal(xor_banks::word_of(bench_->high_o, lane, width_), expected(which, lane, i + 2 * half_)[c],
                          "high " + std::to_string(at));
    }
  }

  karatsuba::Number expected(unsigned which, unsigned lane, unsigned index) const {
    karatsuba::Number sum(chunks_);
    const auto add = [&](unsigned product, unsigned shift, int sign) {
      if (index < shift || index >= shift + 2 * half_) return;
      sum = karatsuba::add(sum, inputs_[which][product][lane][index - shift], sign, width_);
    };
    add(0, 0, 1);
    add(0, half_, -1);
    add(1, half_, -1);
    add(2, half_, 1);
    add(1, 2 * half_, 1);
    return sum;
  }

  ringmill::Bench<Model>& bench_;
  unsigned half_, chunks_, width_, lanes_, length_;
  std::vector<Input> inputs_;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  Recursion<Model> recursion(bench);
  recursion.run(20, false);
  recursion.run(20, true);
}
