// Polynomials modulo Phi of two primes' product, the slow way: by division.

#pragma once

#include <vector>

#include "big.h"

namespace resident {

using Polynomial = std::vector<Big>;

/// Coefficients of a leaf.
constexpr unsigned kLeaf = 5;

/// A polynomial's leaves in the order of their numbers.
inline std::vector<Polynomial> split(const Polynomial& polynomial) {
  if (polynomial.size() == kLeaf) return {polynomial};
  const std::size_t half = polynomial.size() / 2;
  Polynomial lower(polynomial.begin(), polynomial.begin() + static_cast<std::ptrdiff_t>(half));
  Polynomial upper(polynomial.begin() + static_cast<std::ptrdiff_t>(half), polynomial.end());
  Polynomial sum;
  for (std::size_t i = 0; i < half; ++i) sum.push_back(lower[i] + upper[i]);
  std::vector<Polynomial> leaves;
  for (const Polynomial& part : {lower, upper, sum}) {
    for (Polynomial& leaf : split(part)) leaves.push_back(std::move(leaf));
  }
  return leaves;
}

/// Phi of the product of two primes: (x^(s r) - 1)(x - 1) / ((x^s - 1)(x^r - 1)).
inline std::vector<int> cyclotomic(unsigned s, unsigned r) {
  std::vector<int> dividend(s * r + 2);
  dividend[0] = 1;
  dividend[1] = -1;
  dividend[s * r] = -1;
  dividend[s * r + 1] = 1;
  for (const unsigned degree : {s, r}) {
    // By x^degree - 1, from the top.
    std::vector<int> quotient(dividend.size() - degree);
    for (std::size_t i = quotient.size(); i-- > 0;) {
      quotient[i] = dividend[i + degree];
      dividend[i] += quotient[i];
    }
    dividend = quotient;
  }
  return dividend;
}

/// A polynomial modulo Phi, then each coefficient plus its error modulo q.
inline Polynomial reduce(Polynomial polynomial, const std::vector<int>& phi, const std::vector<int>& errors, const Big& q) {
  const std::size_t n = phi.size() - 1;
  for (std::size_t top = polynomial.size(); top-- > n;) {
    const Big factor = polynomial[top];
    for (std::size_t i = 0; i <= n; ++i) {
      if (phi[i] == 0) continue;
      Big& coefficient = polynomial[top - n + i];
      coefficient = phi[i] > 0 ? coefficient - factor : coefficient + factor;
      if (phi[i] != 1 && phi[i] != -1) std::abort();
    }
  }
  polynomial.resize(n);
  for (std::size_t i = 0; i < n; ++i) polynomial[i] = divide(polynomial[i] + Big(errors[i]), q).remainder;
  return polynomial;
}

/// An integer of exactly so many bits, often near an end of these.
inline Big random_modulus(ringmill::Random& random, unsigned bits) {
  const Big top = Big(1) << (bits - 1);
  if (random.chance(20)) return top + Big(static_cast<std::int64_t>(random.below(3)));
  if (random.chance(20)) return top + top - Big(static_cast<std::int64_t>(1 + random.below(3)));
  return top + random_bits(random, bits - 1);
}

/// What the hardware wants to know of it.
inline Big reciprocal(const Big& modulus, unsigned bits) { return divide(Big(1) << (bits + 17), modulus).quotient; }

}  // namespace resident
