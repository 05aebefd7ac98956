// The constants of a product in Z_q[x] / f, and the cycles of one.

#pragma once

#include "host.h"
#include "polynomials.h"

namespace dedicated {

/// Seven transforms, three products, a difference; ten starts of two cycles.
inline std::uint64_t product_cycles(const Timetable& cycles) { return 7 * cycles.passes() + 4 * cycles.pairs() + 20; }

/// R / N: the correction, which is loaded times R once more.
inline std::uint64_t correction(const Shape& shape, const Field& field) {
  return field.times(field.inverse(shape.n()), field.radix);
}

/// floor(x^(2n) / f).
inline Words reciprocal(const Field& field, const Words& f) {
  Words power(2 * f.size() - 1);
  power.back() = 1;
  return divide(field, power, f);
}

/// The values of a constant polynomial, times (-1)^j R / N.
inline Words constant_values(const Shape& shape, const Field& field, Words polynomial) {
  polynomial.resize(shape.n());
  Words values = transform(field, polynomial, field.omega);
  for (std::uint64_t j = 0; j < shape.n(); ++j) {
    const std::uint64_t scaled = field.times(values[j], correction(shape, field));
    values[j] = j % 2 == 0 ? scaled : (field.q - scaled) % field.q;
  }
  return values;
}

/// a b modulo f, with zeros up to N.
inline Words remainder(const Shape& shape, const Field& field, const Words& a, const Words& b, const Words& f) {
  Words c = product(field, a, b);
  divide(field, c, f);
  c.resize(shape.n());
  return c;
}

/// Phi_(N-1), if it has degree N / 2 and `like_it`, or a random monic polynomial of that degree.
template <class Model>
Words monic(ringmill::Bench<Model>& bench, const Shape& shape, const Field& field, bool like_it) {
  const std::uint64_t n = shape.n() / 2;
  const bool is_fermat = shape.k == 4 || shape.k == 8 || shape.k == 16;
  Words f = like_it && is_fermat ? cyclotomic(field, shape.n() - 1, n) : random_words(bench, field, n + 1);
  f[n] = 1;
  return f;
}

}  // namespace dedicated
