// Where the words of a limb are, by definition.

#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "../../ntt_engine/dedicated_read/tests/shape.h"
#include "engine.h"

namespace core {

/// With XOR banks bit j of a bank's number is the parity of the index bits m = j (mod b), 2^b the number of banks, and
/// the address is the index without its b low bits. With dedicated reads the bank is one half of a unit's words: the low
/// halves come first, the units in the order of the least coefficients that they have.
class Places {
 public:
  template <class Bench>
  explicit Places(const Bench& bench)
      : units_(bench.parameter("Units")), banks_(bench.parameter("N")), addresses_(bench.parameter("N")),
        indices_(bench.parameter("N")) {
    const bool dedicated = engine_of(bench) == DEDICATED_READ;
    for (std::uint64_t index = 0; index < indices_.size(); ++index) {
      dedicated ? put_dedicated(dedicated::shape_of(bench), index) : put_xor(index);
      indices_[bank(index) * (indices_.size() / banks()) + address(index)] = index;
    }
  }

  std::uint64_t banks() const { return 2 * units_; }
  std::uint64_t address(std::uint64_t index) const { return addresses_[index]; }
  std::uint64_t bank(std::uint64_t index) const { return banks_[index]; }

  /// Of the word at an address of a bank.
  std::uint64_t index(std::uint64_t bank, std::uint64_t address) const {
    return indices_[bank * (indices_.size() / banks()) + address];
  }

 private:
  void put_xor(std::uint64_t index) {
    const auto bits = static_cast<unsigned>(std::bit_width(banks())) - 1;
    addresses_[index] = index >> bits;
    for (std::uint64_t rest = index; rest != 0; rest >>= bits) banks_[index] ^= rest & (banks() - 1);
  }

  void put_dedicated(const dedicated::Shape& shape, std::uint64_t index) {
    const dedicated::Place place = shape.of_coefficient(index);
    std::uint64_t least = 0;
    while (shape.of_coefficient(least).unit != place.unit) ++least;
    addresses_[index] = place.address;
    banks_[index] = place.half * units_ + least;
  }

  std::uint64_t units_;
  std::vector<std::uint64_t> banks_, addresses_, indices_;
};

}  // namespace core
