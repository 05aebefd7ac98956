// A job of comba_machine, and how it lies in a port.

#pragma once

#include <cstdint>

#include "../../ntt_engine/xor_banks/tests/ports.h"

namespace comba {

/// The fields of a job, as the package has them: the last is the lowest.
struct Job {
  std::uint64_t terms, blocks, stride, elements, factors, modulus, reciprocal, sum, high, quotient, product, first, second;
};

template <class Port>
inline void put(Port& port, const Job& job) {
  const std::uint64_t fields[] = {job.second, job.first,   job.product, job.quotient, job.high,   job.sum, job.reciprocal,
                                  job.modulus, job.factors, job.elements, job.stride,  job.blocks | job.terms << 16};
  unsigned index = 0;
  for (const std::uint64_t field : fields) xor_banks::put_word(port, index++, 32, field);
}

}  // namespace comba
