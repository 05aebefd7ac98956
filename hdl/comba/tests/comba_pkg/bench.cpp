// The fields of a job are where job.h puts them.

#include "../job.h"
#include "bench.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  bench.settle();
  bench.expect_equal(bench->width_o, 12 * 32, "bits of a job");
  for (unsigned i = 0; i < 50; ++i) {
    std::uint64_t fields[13];
    for (unsigned field = 0; field < 13; ++field) fields[field] = bench.random.word() >> (field < 2 ? 48 : 32);
    comba::Job job{};
    job.terms = fields[0];
    job.blocks = fields[1];
    job.stride = fields[2];
    job.elements = fields[3];
    job.factors = fields[4];
    job.modulus = fields[5];
    job.reciprocal = fields[6];
    job.sum = fields[7];
    job.high = fields[8];
    job.quotient = fields[9];
    job.product = fields[10];
    job.first = fields[11];
    job.second = fields[12];
    comba::put(bench->job_i, job);
    bench.settle();
    for (unsigned field = 0; field < 13; ++field) {
      bench.expect_equal(xor_banks::word_of(bench->fields_o, field, 32), fields[field], "field " + std::to_string(field));
    }
  }
}
