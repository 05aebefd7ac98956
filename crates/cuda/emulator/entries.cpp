// The kernels, for the host.
#define RINGMILL_DOUBLES
#define RINGMILL_WORDS
#define RINGMILL_BOUNDS
#include "bounds.hpp"
#include "../kernels/entries.cu"

// The largest bound since the last call by this thread, in units of a prime.
extern "C" double ringmill_worst_bound() {
  const double worst = Bounds::worst();
  Bounds::worst() = 0;
  return worst;
}
