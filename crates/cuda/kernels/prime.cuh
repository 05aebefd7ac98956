// A prime below 2^50 and the constants of reduction modulo it.
#pragma once
#include "machine.cuh"

// As `Prime` in src/device/primes.rs.
struct Prime {
  u64 q;
  // The same, and 1/q.
  double p;
  double inverse;
  // floor(2^64 / q)
  u64 ratio;
  // With b bits of q: b - 2, and floor(2^(2b + 1) / q) 2^(61 - b).
  u64 shift;
  u64 aligned;
};
SIZE(Prime, 48)
FIELD(Prime, q, 0)
FIELD(Prime, p, 8)
FIELD(Prime, inverse, 16)
FIELD(Prime, ratio, 24)
FIELD(Prime, shift, 32)
FIELD(Prime, aligned, 40)
