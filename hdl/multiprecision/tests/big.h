// Natural numbers of any length, by schoolbook methods, and random ones.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "random.h"

namespace multiprecision {

class Big {
 public:
  Big(std::uint64_t value = 0) : digits_{static_cast<std::uint32_t>(value), static_cast<std::uint32_t>(value >> 32)} {
    trim();
  }

  /// 2^exponent.
  static Big power(unsigned exponent) { return Big(1) << exponent; }

  /// Uniform below 2^bits.
  static Big random(ringmill::Random& random, unsigned bits) {
    Big result;
    for (unsigned i = 0; i <= bits / 32; ++i) result.digits_.push_back(static_cast<std::uint32_t>(random.word()));
    return result.low(bits);
  }

  /// What a wide port holds.
  template <class Port>
  static Big of(const Port& port) {
    Big result;
    for (std::size_t i = 0; i < sizeof(port) / 4; ++i) result.digits_.push_back(port[i]);
    result.trim();
    return result;
  }

  unsigned bits() const {
    return digits_.empty() ? 0 : 32 * digits_.size() - static_cast<unsigned>(__builtin_clz(digits_.back()));
  }

  /// The 32 bits at a digit.
  std::uint32_t digit(std::size_t i) const { return i < digits_.size() ? digits_[i] : 0; }

  /// The lowest bits.
  Big low(unsigned count) const {
    Big result = *this;
    if (result.digits_.size() > count / 32) {
      result.digits_.resize(count / 32 + 1);
      result.digits_.back() &= (std::uint32_t{1} << count % 32) - 1;
    }
    result.trim();
    return result;
  }

  std::uint64_t value() const { return std::uint64_t{digit(1)} << 32 | digit(0); }
  ringmill::Wide wide() const { return ringmill::Wide{(*this >> 64).value()} << 64 | value(); }

  /// Word k of a number in words.
  std::uint64_t word(unsigned k, unsigned width = 59) const { return (*this >> (k * width)).low(width).value(); }

  friend Big operator<<(const Big& x, unsigned by) {
    Big result;
    result.digits_.resize(by / 32);
    std::uint32_t carry = 0;
    for (std::size_t i = 0; i <= x.digits_.size(); ++i) {
      const std::uint64_t moved = std::uint64_t{x.digit(i)} << by % 32;
      result.digits_.push_back(static_cast<std::uint32_t>(moved) | carry);
      carry = static_cast<std::uint32_t>(moved >> 32);
    }
    result.trim();
    return result;
  }

  friend Big operator>>(const Big& x, unsigned by) {
    Big result;
    for (std::size_t i = by / 32; i < x.digits_.size(); ++i) {
      const std::uint64_t pair = std::uint64_t{x.digit(i + 1)} << 32 | x.digit(i);
      result.digits_.push_back(static_cast<std::uint32_t>(pair >> by % 32));
    }
    result.trim();
    return result;
  }

  friend Big operator+(const Big& x, const Big& y) {
    Big result;
    std::uint64_t carry = 0;
    for (std::size_t i = 0; i <= std::max(x.digits_.size(), y.digits_.size()); ++i) {
      carry += std::uint64_t{x.digit(i)} + y.digit(i);
      result.digits_.push_back(static_cast<std::uint32_t>(carry));
      carry >>= 32;
    }
    result.trim();
    return result;
  }

  /// x - y for y <= x.
  friend Big operator-(const Big& x, const Big& y) {
    Big result;
    std::int64_t borrow = 0;
    for (std::size_t i = 0; i < x.digits_.size(); ++i) {
      borrow += std::int64_t{x.digit(i)} - y.digit(i);
      result.digits_.push_back(static_cast<std::uint32_t>(borrow));
      borrow >>= 32;
    }
    result.trim();
    return result;
  }

  friend Big operator*(const Big& x, const Big& y) {
    Big result;
    result.digits_.resize(x.digits_.size() + y.digits_.size());
    for (std::size_t i = 0; i < x.digits_.size(); ++i) {
      std::uint64_t carry = 0;
      for (std::size_t j = 0; i + j < result.digits_.size(); ++j) {
        carry += result.digits_[i + j] + std::uint64_t{x.digits_[i]} * y.digit(j);
        result.digits_[i + j] = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
    }
    result.trim();
    return result;
  }

  /// Quotient, bit by bit.
  friend Big operator/(const Big& x, const Big& y) {
    Big quotient, rest;
    for (unsigned bit = x.bits(); bit-- > 0;) {
      rest = (rest << 1) + Big(x.digits_[bit / 32] >> bit % 32 & 1);
      quotient = quotient << 1;
      if (!(rest < y)) {
        rest = rest - y;
        quotient = quotient + 1;
      }
    }
    return quotient;
  }

  friend Big operator%(const Big& x, const Big& y) { return x - x / y * y; }

  /// The residue modulo a small prime.
  std::uint64_t residue(std::uint64_t prime) const {
    ringmill::Wide rest = 0;
    for (std::size_t i = digits_.size(); i-- > 0;) rest = (rest << 32 | digits_[i]) % prime;
    return static_cast<std::uint64_t>(rest);
  }

  friend bool operator==(const Big& x, const Big& y) { return x.digits_ == y.digits_; }
  friend bool operator<(const Big& x, const Big& y) {
    if (x.digits_.size() != y.digits_.size()) return x.digits_.size() < y.digits_.size();
    return std::lexicographical_compare(x.digits_.rbegin(), x.digits_.rend(), y.digits_.rbegin(), y.digits_.rend());
  }

 private:
  void trim() {
    while (!digits_.empty() && digits_.back() == 0) digits_.pop_back();
  }

  std::vector<std::uint32_t> digits_;
};

}  // namespace multiprecision
