// Where the words of a limb are, by definition.

#pragma once

#include <bit>
#include <cstdint>

namespace core {

/// Bit j of a bank's number is the parity of the index bits m = j (mod b), 2^b the number of banks; the address is the
/// index without its b low bits.
class Places {
 public:
  explicit Places(std::uint64_t units) : bits_(static_cast<unsigned>(std::bit_width(2 * units)) - 1) {}

  std::uint64_t banks() const { return std::uint64_t{1} << bits_; }
  std::uint64_t address(std::uint64_t index) const { return index >> bits_; }
  std::uint64_t bank(std::uint64_t index) const {
    std::uint64_t folded = 0;
    for (; index != 0; index >>= bits_) folded ^= index & (banks() - 1);
    return folded;
  }

 private:
  unsigned bits_;
};

}  // namespace core
