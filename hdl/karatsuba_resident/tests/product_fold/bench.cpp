// product_fold beside division by Phi: products with coefficients as great as they come, with and without pauses on the way out.

#include "../ring.h"

template <class Model>
void test(ringmill::Bench<Model>& bench) {
  using resident::Big;
  const auto parameter = [&](const char* name) { return static_cast<unsigned>(bench.parameter(name)); };
  const unsigned s = parameter("Short"), r = parameter("Long"), bits = parameter("ModulusWidth"), width = parameter("Width"),
                 error_width = parameter("ErrorWidth"), n = (s - 1) * (r - 1);
  const auto phi = resident::cyclotomic(s, r);
  bench.expect_equal(phi.size(), n + 1, "the degree of Phi");
  const int half = 1 << (error_width - 1);
  bench->valid_i = 0;
  bench->first_i = 0;
  bench->ready_i = 0;
  bench->error_i = 0;
  bench.reset();
  for (unsigned product = 0; product < (n > 1000 ? 4 : 40); ++product) {
    const Big q = resident::random_modulus(bench.random, bits);
    const Big most = q * Big(n);
    resident::Polynomial coefficients;
    std::vector<int> errors;
    const unsigned kind = product % 4;
    for (unsigned i = 0; i < 2 * n; ++i) {
      const bool greatest = kind == 1 || (kind == 2 && bench.random.chance(50));
      Big coefficient = greatest ? most : kind == 3 ? Big(0) : resident::random_bits(bench.random, width);
      if (most < coefficient) coefficient = most;
      if (i == 2 * n - 1) coefficient = Big(0);
      coefficients.push_back(coefficient);
    }
    for (unsigned i = 0; i < n; ++i) errors.push_back(static_cast<int>(bench.random.below(2 * static_cast<unsigned>(half))) - half);
    const auto expected = resident::reduce(coefficients, phi, errors, q);
    resident::put(bench->modulus_i, 0, bits, q);
    resident::put(bench->reciprocal_i, 0, 19, resident::reciprocal(q, bits));
    const bool pauses = product % 2 == 1;
    unsigned sent = 0, got = 0, read = 0, error = 0, begin = 0;
    bool finished = false;
    for (unsigned cycle = 0; got < n && cycle < 8 * n + 1000; ++cycle) {
      bench->valid_i = sent < n;
      bench->first_i = sent == 0;
      if (sent < n) {
        resident::put(bench->low_i, 0, width, coefficients[sent]);
        resident::put(bench->high_i, 0, width, coefficients[n + sent]);
        ++sent;
      }
      bench->ready_i = !(pauses && bench.random.chance(40));
      bench.settle();
      // What is not taken holds what is behind it.
      const bool reads = bench->read_o, done = bench->done_o, ready = bench->ready_i || !bench->valid_o;
      const unsigned index = bench->index_o;
      if (reads) bench.expect_equal(index, read++, "the coefficient that is read");
      bench.expect_equal(done, ready && read == n && !finished && !reads, "done");
      finished = finished || done;
      if (bench->valid_o) {
        if (begin == 0) begin = cycle;
        resident::expect_big(bench, resident::get(bench->data_o, 0, bits), expected[got], "coefficient " + std::to_string(got));
        bench.expect_equal(bench->last_o, got == n - 1, "last");
        if (bench->ready_i) ++got;
      }
      if (reads) error = index;
      bench.step();
      resident::put(bench->error_i, 0, error_width, Big(errors[error]));
    }
    bench.expect_equal(got, n, "coefficients");
    // The first after Long + Short of the upper ones, and the pipeline.
    bench.expect_equal(begin, r + s + 1 + 7, "the cycle in which the first leaves");
  }
}
