// post_computation beside Karatsuba's recursions on whole polynomials: nine pieces' products of leaves, as the crossbar and the
// multipliers bring them, become one.

#include <map>

#include "../pieces.h"
#include "../../../ntt_engine/xor_banks/tests/ports.h"

namespace {

using karatsuba::Number;
using karatsuba::Polynomial;

constexpr unsigned kWidth = 30;

Polynomial join(const std::vector<Polynomial>& products) {
  const auto half = static_cast<unsigned>(products[0].size() / 2);
  Polynomial sum(4 * half, Number(karatsuba::kChunks));
  const auto add = [&](unsigned which, unsigned shift, int sign) {
    for (unsigned i = 0; i < 2 * half; ++i) sum[shift + i] = karatsuba::add(sum[shift + i], products[which][i], sign, kWidth);
  };
  add(0, 0, 1);
  add(0, half, -1);
  add(1, half, -1);
  add(1, 2 * half, 1);
  add(2, half, 1);
  return sum;
}

/// The product of the leaves below a node: lower, upper, sum.
Polynomial below(const std::map<std::pair<unsigned, unsigned>, Polynomial>& leaves, unsigned time, unsigned line, unsigned level) {
  if (level == 3) return leaves.at({time, line});
  return join({below(leaves, 2 * time, 2 * line, level + 1), below(leaves, 2 * time + 1, 2 * line, level + 1),
               below(leaves, 2 * time + 1, 2 * line + 1, level + 1)});
}

}  // namespace

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using namespace karatsuba;
  bench->valid_i = 0;
  bench.reset();
  constexpr unsigned kGroups = 2, kPieces = 9;
  const unsigned multiplier[] = {0, 1, 1, 3, 2, 3, 3, 3}, unit[] = {0, 0, 1, 1, 2, 2, 2, 2}, wait[] = {0, 0, 0, 1, 0, 0, 3, 4};
  // Leaves by multiplier and time: for each polynomial a product; and what becomes of them.
  std::map<std::pair<unsigned, unsigned>, std::pair<unsigned, std::vector<Polynomial>>> leaves;
  std::vector<std::vector<Polynomial>> expected;
  for (unsigned group = 0; group < kGroups; ++group) {
    std::vector<std::vector<Polynomial>> pieces(kPolynomials);
    for (unsigned piece = 0; piece < kPieces; ++piece) {
      std::vector<std::map<std::pair<unsigned, unsigned>, Polynomial>> of(kPolynomials);
      for (unsigned time = 0; time < kLeaves; ++time) {
        for (unsigned line = 0; line < 8; ++line) {
          if ((time & line) != line) continue;
          std::vector<Polynomial> products;
          for (unsigned which = 0; which < kPolynomials; ++which) {
            Polynomial product;
            for (unsigned i = 0; i < 2 * kLeaf; ++i) product.push_back(random_number(bench.random, kChunks, kWidth, 0));
            of[which][{time, line}] = product;
            products.push_back(product);
          }
          const unsigned waits = line == 2 ? time % 2 : wait[line];
          const unsigned target = unit[line] << 2 | (line % 2 == 1 ? 2 : time % 2);
          leaves[{multiplier[line], (group * kPieces + piece) * kLeaves + time + waits}] = {target, products};
        }
      }
      for (unsigned which = 0; which < kPolynomials; ++which) pieces[which].push_back(below(of[which], 0, 0, 0));
    }
    expected.emplace_back();
    for (const auto& of : pieces) {
      expected.back().push_back(join({join({of[0], of[1], of[2]}), join({of[3], of[4], of[5]}), join({of[6], of[7], of[8]})}));
    }
  }
  const unsigned half = 160 * kChunks;
  unsigned group = 0, at = 0, began = 0;
  for (unsigned cycle = 0; cycle < (kGroups * kPieces + 8) * kLeaves * kLength && group < kGroups; ++cycle) {
    const unsigned time = cycle / kLength, place = cycle % kLength;
    unsigned valid = 0;
    for (unsigned index = 0; index < 4; ++index) {
      for (unsigned part = 0; part < 2; ++part) {
        // Upper coefficients come a leaf's time later.
        const auto leaf = time >= part ? leaves.find({index, time - part}) : leaves.end();
        if (leaf == leaves.end()) continue;
        valid |= 1u << (2 * index + part);
        xor_banks::put_word(bench->target_i, 2 * index + part, 4, leaf->second.first);
        for (unsigned which = 0; which < kPolynomials; ++which) {
          const auto& product = leaf->second.second[which];
          xor_banks::put_word(bench->data_i, (2 * index + part) * kPolynomials + which, kWidth,
                              product[part * kLeaf + place / kChunks][place % kChunks]);
        }
      }
    }
    bench->valid_i = valid;
    bench.step();
    bench.expect_equal(bench->first_o, bench->valid_o && at == 0, "a result begins");
    if (at != 0) bench.expect(bench->valid_o, "no gap");
    if (!bench->valid_o) continue;
    if (at == 0) began = cycle;
    for (unsigned which = 0; which < kPolynomials; ++which) {
      const unsigned i = at / kChunks, c = at % kChunks;
      bench.expect_equal(xor_banks::word_of(bench->low_o, which, kWidth), expected[group][which][i][c], "lower");
      bench.expect_equal(xor_banks::word_of(bench->high_o, which, kWidth), expected[group][which][i + 160][c], "upper");
    }
    if (++at < half) continue;
    // Five recursions after the upper coefficients of the last sum began, twelve leaves' times after the last piece did.
    bench.expect_equal(began, ((group + 1) * kPieces - 1) * kLeaves * kLength + 12 * kLength + 5 * 4 - 1, "latency");
    at = 0;
    ++group;
  }
  bench.expect_equal(group, kGroups, "results");
}
