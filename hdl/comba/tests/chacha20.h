// ChaCha20 as Bernstein's paper writes it, word by word.

#pragma once

#include <array>
#include <cstdint>

namespace comba {

using Seed = std::array<std::uint32_t, 8>;
using Block = std::array<std::uint32_t, 16>;

inline void quarter_round(std::uint32_t& a, std::uint32_t& b, std::uint32_t& c, std::uint32_t& d) {
  const auto rotate = [](std::uint32_t word, int bits) { return word << bits | word >> (32 - bits); };
  a += b, d = rotate(d ^ a, 16);
  c += d, b = rotate(b ^ c, 12);
  a += b, d = rotate(d ^ a, 8);
  c += d, b = rotate(b ^ c, 7);
}

inline Block chacha20(const Seed& seed, std::uint64_t counter) {
  Block start = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (unsigned i = 0; i < 8; ++i) start[4 + i] = seed[i];
  start[12] = static_cast<std::uint32_t>(counter);
  start[13] = static_cast<std::uint32_t>(counter >> 32);
  Block x = start;
  for (unsigned round = 0; round < 10; ++round) {
    quarter_round(x[0], x[4], x[8], x[12]);
    quarter_round(x[1], x[5], x[9], x[13]);
    quarter_round(x[2], x[6], x[10], x[14]);
    quarter_round(x[3], x[7], x[11], x[15]);
    quarter_round(x[0], x[5], x[10], x[15]);
    quarter_round(x[1], x[6], x[11], x[12]);
    quarter_round(x[2], x[7], x[8], x[13]);
    quarter_round(x[3], x[4], x[9], x[14]);
  }
  for (unsigned i = 0; i < 16; ++i) x[i] += start[i];
  return x;
}

}  // namespace comba
