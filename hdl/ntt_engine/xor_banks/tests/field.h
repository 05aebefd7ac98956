// Transforms by their definitions, and the constants that a host loads, in 128-bit integers.

#pragma once

#include "primes.h"
#include "timetable.h"

namespace xor_banks {

/// The integers modulo the greatest prime of `bits` bits that is 1 modulo `congruence` and below `below`.
struct Field {
  std::uint64_t q;
  std::uint64_t radix;  // R of the butterflies' Montgomery reduction

  Field(unsigned bits, unsigned word, std::uint64_t congruence, Wide below) {
    below = std::min(below, Wide{1} << bits);
    q = static_cast<std::uint64_t>((below - 2) / congruence * congruence + 1);
    while (!ringmill::is_prime(q)) q -= congruence;
    radix = ringmill::power_mod(2, word * ((bits + word - 1) / word), q);
  }

  std::uint64_t times(std::uint64_t a, std::uint64_t b) const { return static_cast<std::uint64_t>(Wide{a} * b % q); }
  std::uint64_t plus(std::uint64_t a, std::uint64_t b) const { return static_cast<std::uint64_t>((Wide{a} + b) % q); }
  std::uint64_t minus(std::uint64_t a, std::uint64_t b) const { return plus(a, q - b); }
  std::uint64_t power(std::uint64_t a, std::uint64_t e) const { return ringmill::power_mod(a, e, q); }
  std::uint64_t inverse(std::uint64_t a) const { return power(a, q - 2); }
  std::uint64_t raised(std::uint64_t a) const { return times(a, radix); }

  /// A root of unity of an order whose prime factors are among 2, 3, 5, 17, 257.
  std::uint64_t root(std::uint64_t order) const {
    for (std::uint64_t base = 2;; ++base) {
      const std::uint64_t root = power(base, (q - 1) / order);
      bool primitive = true;
      for (const std::uint64_t p : {2, 3, 5, 17, 257}) primitive &= order % p != 0 || power(root, order / p) != 1;
      if (primitive) return root;
    }
  }
};

/// A ring modulo a prime, with its transform. `wrap` is 1 for x^n + 1 and 0 for x^n - 1.
struct Ring {
  Shape shape;
  Field field;
  unsigned wrap;

  static std::uint64_t conductor(const Shape& shape) {
    std::uint64_t d = 1;
    for (const Dimension& dimension : shape.dimensions) d *= dimension.p();
    return d;
  }

  Ring(const Shape& shape, unsigned bits, unsigned word, unsigned wrap, Wide below = ~Wide{0})
      : shape(shape),
        field(bits, word, conductor(shape) << std::max(word, shape.fermat() ? 8 : shape.log_n + 1), below),
        wrap(wrap) {}

  /// z^(g^j) of a dimension, z = zeta to the idempotent of the Chinese remainders, of order p.
  Words kernel(const Dimension& dimension) const {
    const std::uint64_t d = conductor(shape), p = dimension.p();
    const std::uint64_t z = field.power(field.root(d), d / p * ringmill::power_mod(d / p, p - 2, p));
    Words result;
    for (std::uint64_t e = 1; result.size() < dimension.order(); e = e * dimension.generator() % p) {
      result.push_back(field.power(z, e));
    }
    return result;
  }

  /// Coefficients to values. For a Fermat ring, by one dimension after the other, the sum of a_j zeta^(g^(j+m)) over j.
  Words evaluated(const Words& words) const {
    if (!shape.fermat()) return evaluated_at_powers(words);
    Words result = words;
    for (const Dimension& dimension : shape.dimensions) {
      const std::uint64_t m = dimension.order();
      const Words powers = kernel(dimension);
      for (std::uint64_t i = 0; i < shape.n(); ++i) {
        if ((i >> dimension.low) % m != 0) continue;
        Words line(m);
        for (std::uint64_t j = 0; j < m; ++j) line[j] = result[i + (j << dimension.low)];
        for (std::uint64_t v = 0; v < m; ++v) {
          std::uint64_t sum = 0;
          for (std::uint64_t j = 0; j < m; ++j) sum = field.plus(sum, field.times(line[j], powers[(j + v) % m]));
          result[i + (v << dimension.low)] = sum;
        }
      }
    }
    return result;
  }

  /// Constants by their addresses.
  Words constants() const { return shape.fermat() ? fermat_constants() : power_constants(); }

 private:
  std::uint64_t psi() const { return field.root(2 * shape.n()); }

  Words evaluated_at_powers(const Words& words) const {
    Words result(shape.n());
    for (std::uint64_t i = 0; i < shape.n(); ++i) {
      const std::uint64_t point = field.power(psi(), 2 * reversed(i, shape.log_n) + wrap);
      for (std::uint64_t j = shape.n(); j-- > 0;) result[i] = field.plus(field.times(result[i], point), words[j]);
    }
    return result;
  }

  Words fermat_constants() const {
    Words words[2];
    for (const Dimension& dimension : shape.dimensions) {
      const std::uint64_t m = dimension.order(), root = field.root(m), scale = field.inverse(m);
      const Words powers = kernel(dimension);
      const auto gauss_sum = [&](std::uint64_t k) {
        std::uint64_t sum = 0;
        for (std::uint64_t j = 0; j < m; ++j) {
          sum = field.plus(sum, field.times(powers[j], field.power(root, j * k % m)));
        }
        return sum;
      };
      for (std::uint64_t place = 0; place < m; ++place) {
        const std::uint64_t sum = gauss_sum(reversed(place, dimension.length));
        words[0].push_back(field.times(sum, scale));
        words[1].push_back(field.times(field.inverse(sum), scale));
      }
      for (std::uint64_t e = 0; e < m / 2; ++e) {
        words[0].push_back(field.power(root, (m - e) % m));
        words[1].push_back(field.power(root, e));
      }
    }
    Words result;
    for (std::size_t f = 0; f < words[0].size(); ++f) {
      for (const Words& direction : words) result.push_back(field.raised(direction[f]));
    }
    return result;
  }

  /// The exponent E for which a pass on a bit splits x^(2 size) - psi^2E into x^size - psi^E and x^size + psi^E, for the
  /// pair of an index. Going down from x^n - psi^(n wrap), bit 0 halves the exponent, bit 1 adds n to the half.
  std::uint64_t exponent(std::uint64_t index, unsigned bit) const {
    std::uint64_t e = shape.n() * wrap / 2;
    for (unsigned above = shape.log_n - 1; above > bit; --above) e = (e + (index >> above & 1) * shape.n()) / 2;
    return e;
  }

  Words power_constants() const {
    Words result;
    const std::uint64_t order = 2 * shape.n(), scale = field.inverse(shape.n()), root = psi();
    for (const bool inverse : {false, true}) {
      const Timetable table = timetable(shape, inverse, 0);
      for (const Read& read : table.reads) {
        const Pass& pass = table.passes[read.pass];
        const auto by_bank = indices(shape, pass, read.slot);
        for (unsigned unit = 0; unit < shape.units(); ++unit) {
          const std::uint64_t e = exponent(by_bank[own_bank(unit)], pass.bit);
          std::uint64_t factor = field.power(root, inverse ? (order - e) % order : e);
          if (pass.work == Work::kScale) factor = read.second ? field.times(factor, scale) : scale;
          result.push_back(field.raised(factor));
        }
      }
    }
    return result;
  }
};

/// The rings that a model's parameters allow: greatest and next primes, both signs of x^n +- 1.
template <class Model>
std::vector<Ring> rings_of(const ringmill::Bench<Model>& bench) {
  const Shape shape = shape_of(bench);
  const auto bits = static_cast<unsigned>(bench.parameter("Width")), word = static_cast<unsigned>(bench.parameter("Word"));
  const Ring first(shape, bits, word, 1);
  return {first, Ring(shape, bits, word, 0, first.field.q)};
}

}  // namespace xor_banks
