// Sizes, places and constants of the engine from what its passes do, for its benches.

#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "latency.h"
#include "primes.h"
#include "wide.h"

namespace dedicated {

using ringmill::Wide;
using Words = std::vector<std::uint64_t>;

/// Where a residue lies.
struct Place {
  std::uint64_t half, unit, address;
  bool operator==(const Place&) const = default;
};

/// N = 2^k points, 2^b units, 2^a words a bank.
struct Shape {
  unsigned k, a, b;

  std::uint64_t n() const { return std::uint64_t{1} << k; }
  std::uint64_t units() const { return std::uint64_t{1} << b; }
  std::uint64_t words() const { return std::uint64_t{1} << a; }

  /// The place with these contents of its bits, the lowest first: address, unit, half.
  Place place(const std::vector<unsigned>& bits) const {
    Place place{bits[k - 1], 0, 0};
    for (unsigned i = 0; i < a; ++i) place.address |= std::uint64_t{bits[i]} << i;
    for (unsigned i = 0; i < b; ++i) place.unit |= std::uint64_t{bits[a + i]} << i;
    return place;
  }

  /// As one number.
  std::uint64_t number(const Place& place) const {
    return (place.half << (k - 1)) | (place.unit << a) | place.address;
  }

  /// What a bit of a place holds: a bit of a value's index, or of a coefficient's.
  struct Held {
    bool value;
    unsigned bit;
  };
  /// The bits before pass `pass`, k for after the last. Bits of coefficients are processed from the upper end, and the
  /// places follow from the exchanges.
  std::vector<Held> held(unsigned pass) const {
    // Backwards from the order of the passes: W, then each bit of the address, then what came there from the unit.
    std::vector<Held> bits(k);
    bits[k - 1] = {false, k - 1};
    for (unsigned i = 0; i < a; ++i) bits[i] = {false, k - 2 - i};
    for (unsigned i = 0; i < b; ++i) bits[a + i] = {false, b - 1 - i};
    for (unsigned p = 0; p < pass; ++p) {
      bits[k - 1] = {true, p};
      if (p == k - 1) break;
      std::swap(bits[k - 1], bits[p % a]);
      std::swap(bits[p % a], bits[a + std::min(p, b - 1)]);
    }
    return bits;
  }

  std::vector<unsigned> contents(const std::vector<Held>& held, std::uint64_t index) const {
    std::vector<unsigned> bits(k);
    for (unsigned i = 0; i < k; ++i) bits[i] = (index >> held[i].bit) & 1;
    return bits;
  }
  Place of_coefficient(std::uint64_t index) const { return place(contents(held(0), index)); }
  Place of_value(std::uint64_t index) const { return place(contents(held(k), index)); }

  /// By number of a place: the value's index there.
  Words value_indices() const {
    Words indices(n());
    const auto bits = held(k);
    for (std::uint64_t j = 0; j < n(); ++j) indices[number(place(contents(bits, j)))] = j;
    return indices;
  }
};

template <class Bench>
Shape shape_of(const Bench& bench) {
  const unsigned k = ringmill::bit_length(bench.parameter("N")) - 1;
  const unsigned b = ringmill::bit_length(bench.parameter("Units")) - 1;
  return {k, k - 1 - b, b};
}

/// Cycles from the read of a word to the write of the word in its place: three before and three after the butterfly.
template <class Bench>
unsigned slot_latency(const Bench& bench) {
  const auto number = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  return 6 + ringmill::butterfly_latency(number("Width"), number("Word"), number("Pipeline"), true);
}

/// A prime field with a root of order N, and the radix of Montgomery's form.
struct Field {
  std::uint64_t q, omega, radix;

  std::uint64_t times(std::uint64_t x, std::uint64_t y) const { return static_cast<std::uint64_t>(Wide{x} * y % q); }
  std::uint64_t power(std::uint64_t x, std::uint64_t e) const { return ringmill::power_mod(x, e, q); }
  std::uint64_t inverse(std::uint64_t x) const { return power(x, q - 2); }
};

inline Field field_of(std::uint64_t q, std::uint64_t n, unsigned width, unsigned word) {
  std::uint64_t omega = 1;
  for (std::uint64_t g = 2; ringmill::power_mod(omega, n / 2, q) != q - 1; ++g) {
    omega = ringmill::power_mod(g, (q - 1) / n, q);
  }
  const unsigned steps = (width + word - 1) / word;
  return {q, omega, ringmill::power_mod(2, std::uint64_t{steps} * word, q)};
}

/// The constants by address: omega^(2^(k-1-p) j) for each pass p, unit and number of the factor, the scale, the
/// correction, all times R; j is what the place says of the value's lower p bits.
inline Words constants(const Shape& shape, const Field& field, std::uint64_t correction) {
  const std::uint64_t few = 2 * shape.words();
  Words result((few + shape.b + 2) * shape.units());
  const auto put = [&](std::uint64_t word, std::uint64_t unit, std::uint64_t value) {
    result[word * shape.units() + unit] = field.times(value, field.radix);
  };
  for (unsigned pass = 0; pass < shape.k; ++pass) {
    const auto held = shape.held(pass);
    for (std::uint64_t place = 0; place < shape.n() / 2; ++place) {
      std::uint64_t j = 0, number = 0;
      for (unsigned i = 0; i < shape.k - 1; ++i) {
        if (held[i].value) j |= ((place >> i) & 1) << held[i].bit;
        // The address's bits of values in the order of the values' bits.
        if (held[i].value && i < shape.a) number |= ((place >> i) & 1) << (held[i].bit - (shape.b - 1));
      }
      const std::uint64_t factor = field.power(field.omega, j << (shape.k - 1 - pass));
      const std::uint64_t unit = place >> shape.a;
      if (pass < shape.b) put(few + pass, unit, factor);
      else put((std::uint64_t{1} << (pass - shape.b)) + number, unit, factor);
    }
  }
  for (std::uint64_t unit = 0; unit < shape.units(); ++unit) {
    put(few + shape.b, unit, field.inverse(shape.n()));
    put(few + shape.b + 1, unit, correction);
  }
  return result;
}

/// a(x) by Horner's rule.
inline std::uint64_t evaluate(const Field& field, const Words& a, std::uint64_t x) {
  Wide value = 0;
  for (std::size_t i = a.size(); i-- > 0;) value = (value * x + a[i]) % field.q;
  return static_cast<std::uint64_t>(value);
}

}  // namespace dedicated
