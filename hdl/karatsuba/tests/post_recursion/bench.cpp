// post_recursion beside L + x^h (S - L - H) + x^(2h) H, with streams that come in any order, up to a product ahead.

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

  void run(unsigned count) {
    for (unsigned i = 0; i < count; ++i) inputs_.push_back(random());
    std::array<unsigned, 6> sent{};
    unsigned quiet = 0, done = 0, at = 0, complete = 0;
    while (done < count) {
      unsigned valid = 0;
      for (unsigned stream = 0; stream < 6; ++stream) {
        const unsigned which = sent[stream] / length_, place = sent[stream] % length_;
        if (which >= count || which >= done + 2 || (place == 0 && bench_.random.chance(70))) continue;
        valid |= 1u << stream;
        for (unsigned lane = 0; lane < lanes_; ++lane) {
          const auto& number = inputs_[which][stream / 2][lane][stream % 2 * half_ + place / chunks_];
          xor_banks::put_word(bench_->data_i, stream * lanes_ + lane, width_, number[place % chunks_]);
        }
        ++sent[stream];
      }
      bench_->valid_i = valid;
      bench_.step();
      // The latency of a product that was waited for.
      const unsigned before = complete;
      complete = *std::min_element(sent.begin(), sent.end()) / length_;
      if (complete > before && complete == done + 1 && at == 0) quiet = 0;
      else ++quiet;
      bench_.expect(bench_->busy_o || complete == done, "busy with a whole product");
      if (at != 0) bench_.expect(bench_->valid_o, "no gap");
      bench_.expect_equal(bench_->first_o, bench_->valid_o && at == 0, "a product begins");
      if (!bench_->valid_o) continue;
      bench_.expect(complete > done, "a product whose parts are there");
      if (at == 0 && waited_) bench_.expect_equal(quiet, 3, "latency");
      check(done, at);
      if (++at == 2 * length_) {
        at = 0;
        ++done;
        waited_ = complete == done;
      }
    }
    bench_->valid_i = 0;
    bench_.step();
    bench_.expect(!bench_->busy_o && !bench_->valid_o, "done");
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
  bool waited_ = true;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  Recursion<Model> recursion(bench);
  recursion.run(30);
}
