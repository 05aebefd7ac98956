// The transforms of x^n + 1 with words, for the host.
#define RINGMILL_NEGACYCLIC
#define RINGMILL_WORDS
#include "../kernels/transform_entries.cuh"
