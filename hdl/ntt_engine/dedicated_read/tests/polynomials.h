// Polynomials over a prime field from their definitions, and a transform that shares nothing with the engine.

#pragma once

#include "shape.h"

namespace dedicated {

/// Phi_d for odd square-free d, from the product of (1 - x^(d / e))^mu(e) over the divisors e of d, as a power series.
inline Words cyclotomic(const Field& field, std::uint64_t d, std::uint64_t degree) {
  Words f(degree + 1);
  f[0] = 1;
  for (std::uint64_t e = 1; e <= d; ++e) {
    if (d % e != 0) continue;
    unsigned primes = 0;
    for (std::uint64_t p = 3, rest = e; rest != 1; ++p) {
      for (; rest % p == 0; rest /= p) ++primes;
    }
    const std::uint64_t m = d / e;
    if (primes % 2 == 0) {
      for (std::uint64_t i = degree + 1; i-- > m;) f[i] = (f[i] + field.q - f[i - m]) % field.q;
    } else {
      for (std::uint64_t i = m; i <= degree; ++i) f[i] = (f[i] + f[i - m]) % field.q;
    }
  }
  return f;
}

/// a b, term by term.
inline Words product(const Field& field, const Words& a, const Words& b) {
  std::vector<Wide> sums(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) sums[i + j] += a[i] * b[j];
  }
  Words result(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) result[i] = static_cast<std::uint64_t>(sums[i] % field.q);
  return result;
}

/// Long division by a monic f: leaves the remainder in `a`, returns the quotient.
inline Words divide(const Field& field, Words& a, const Words& f) {
  const std::size_t n = f.size() - 1;
  Words quotient(a.size() - n);
  for (std::size_t i = a.size(); i-- > n;) {
    const std::uint64_t factor = quotient[i - n] = a[i];
    for (std::size_t j = 0; factor != 0 && j <= n; ++j) {
      a[i - n + j] = (a[i - n + j] + (field.q - f[j]) * factor) % field.q;
    }
  }
  a.resize(n);
  return quotient;
}

/// Values at omega^j, by halves (Cooley and Tukey), recursively.
inline Words transform(const Field& field, const Words& a, std::uint64_t omega) {
  if (a.size() == 1) return a;
  Words even, odd;
  for (std::size_t i = 0; i < a.size(); i += 2) {
    even.push_back(a[i]);
    odd.push_back(a[i + 1]);
  }
  const std::uint64_t square = field.times(omega, omega);
  even = transform(field, even, square);
  odd = transform(field, odd, square);
  Words values(a.size());
  std::uint64_t power = 1;
  for (std::size_t j = 0; j < a.size() / 2; ++j, power = field.times(power, omega)) {
    const std::uint64_t term = field.times(power, odd[j]);
    values[j] = (even[j] + term) % field.q;
    values[j + a.size() / 2] = (even[j] + field.q - term) % field.q;
  }
  return values;
}

}  // namespace dedicated
