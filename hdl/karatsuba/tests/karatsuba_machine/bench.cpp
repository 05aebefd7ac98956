// karatsuba_machine beside schoolbook products: groups of pieces, whose results are joined as Karatsuba's method says, with and
// without pauses on both sides; and how long they take.

#include <array>

#include "../numbers.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

namespace {

using karatsuba::Number;
using karatsuba::Polynomial;

constexpr unsigned kCoefficients = 40, kChunks = 5, kPieces = 9, kPolynomials = 4, kWidth = 30, kResult = 320;

struct Piece {
  Polynomial key;
  std::array<std::vector<std::uint64_t>, kPolynomials> binary;
};

/// L + x^h (S - L - H) + x^(2h) H.
Polynomial join(const std::array<Polynomial, 3>& products, unsigned half) {
  Polynomial sum(4 * half, Number(kChunks));
  const auto add = [&](unsigned which, unsigned shift, int sign) {
    for (unsigned i = 0; i < 2 * half; ++i) sum[shift + i] = karatsuba::add(sum[shift + i], products[which][i], sign, kWidth);
  };
  add(0, 0, 1);
  add(2, half, 1);
  add(0, half, -1);
  add(1, half, -1);
  add(1, 2 * half, 1);
  return sum;
}

template <class Model>
class Machine {
 public:
  explicit Machine(ringmill::Bench<Model>& bench) : bench_(bench), key_width_(static_cast<unsigned>(bench.parameter("KeyWidth"))) {
    bench_->valid_i = 0;
    bench_->ready_i = 0;
    bench_.reset();
  }

  void run(unsigned groups, unsigned input_pauses, unsigned output_pauses) {
    std::vector<Piece> pieces;
    for (unsigned i = 0; i < groups * kPieces; ++i) pieces.push_back(random());
    std::vector<std::vector<Polynomial>> expected;
    for (unsigned group = 0; group < groups; ++group) expected.push_back(result(&pieces[group * kPieces]));
    const unsigned beats = kCoefficients * kChunks;
    unsigned sent = 0, got = 0, cycles = 0;
    bool offered = false;
    while (got < groups * kResult * kChunks && cycles < 1000000) {
      if (!offered) offered = sent < pieces.size() * beats && !bench_.random.chance(input_pauses);
      bench_->valid_i = offered;
      const Piece& piece = pieces[offered ? sent / beats : 0];
      const unsigned i = sent % beats / kChunks, c = sent % kChunks;
      xor_banks::put_word(bench_->data_i, 0, 32, offered ? piece.key[i][c] : 0);
      xor_banks::put_word(bench_->data_i, 1, 32, offered && c < kPolynomials ? piece.binary[c][i] : 0);
      bench_->ready_i = !bench_.random.chance(output_pauses);
      bench_.settle();
      if (bench_->valid_o && bench_->ready_i) check(expected[got / (kResult * kChunks)], got % (kResult * kChunks)), ++got;
      const bool takes = offered && bench_->ready_o;
      bench_.step();
      ++cycles;
      if (!takes) continue;
      offered = false;
      ++sent;
    }
    bench_.expect_equal(got, groups * kResult * kChunks, "words");
    if (input_pauses == 0 && output_pauses == 0) {
      // The last piece waits for its end and for a leaf's time; thirteen leaves' time later its result begins.
      const unsigned least = groups * kPieces * beats;
      bench_.expect(cycles >= least && cycles <= least + 200 + 25 + 13 * 25 + 40 + kResult * kChunks,
                    "cycles: " + std::to_string(cycles) + " for " + std::to_string(least) + " beats");
    }
  }

 private:
  Piece random() {
    Piece piece;
    for (unsigned i = 0; i < kCoefficients; ++i) piece.key.push_back(karatsuba::random_number(bench_.random, kChunks, key_width_, 3));
    for (auto& binary : piece.binary) {
      for (unsigned i = 0; i < kCoefficients; ++i) binary.push_back(bench_.random.below(65));
    }
    return piece;
  }

  /// The product as numbers in chunks of the result.
  Polynomial product(const Piece& piece, unsigned which) const {
    Polynomial product(2 * kCoefficients, Number(kChunks));
    for (unsigned i = 0; i < kCoefficients; ++i) {
      const Number number = converted(piece.key[i]);
      for (unsigned j = 0; j < kCoefficients; ++j) {
        Number times(kChunks);
        unsigned __int128 carry = 0;
        for (unsigned c = 0; c < kChunks; ++c) {
          carry += static_cast<unsigned __int128>(number[c]) * piece.binary[which][j];
          times[c] = static_cast<std::uint64_t>(carry) & karatsuba::mask(kWidth);
          carry >>= kWidth;
        }
        product[i + j] = karatsuba::add(product[i + j], times, 1, kWidth);
      }
    }
    return product;
  }

  Number converted(const Number& number) const {
    Number result(kChunks);
    for (unsigned bit = 0; bit < kChunks * key_width_; ++bit) {
      result[bit / kWidth] |= (number[bit / key_width_] >> (bit % key_width_) & 1) << (bit % kWidth);
    }
    return result;
  }

  std::vector<Polynomial> result(const Piece* pieces) const {
    std::vector<Polynomial> results;
    for (unsigned which = 0; which < kPolynomials; ++which) {
      std::array<Polynomial, 3> middle;
      for (unsigned part = 0; part < 3; ++part) {
        std::array<Polynomial, 3> products;
        for (unsigned i = 0; i < 3; ++i) products[i] = product(pieces[3 * part + i], which);
        middle[part] = join(products, kCoefficients);
      }
      results.push_back(join(middle, 2 * kCoefficients));
    }
    return results;
  }

  void check(const std::vector<Polynomial>& expected, unsigned at) {
    bench_.expect_equal(bench_->last_o, at == kResult * kChunks - 1, "the last word of a result");
    for (unsigned which = 0; which < kPolynomials; ++which) {
      bench_.expect_equal(xor_banks::word_of(bench_->data_o, which, 32), expected[which][at / kChunks][at % kChunks],
                          "word " + std::to_string(at) + " of product " + std::to_string(which));
    }
  }

  ringmill::Bench<Model>& bench_;
  unsigned key_width_;
};

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  Machine<Model> machine(bench);
  machine.run(1, 0, 0);
  machine.run(5, 0, 0);
  machine.run(2, 30, 0);
  machine.run(2, 0, 50);
  machine.run(1, 50, 20);
}
