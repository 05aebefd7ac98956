// The transforms of x^n + 1 with doubles, for the host.
#define RINGMILL_NEGACYCLIC
#define RINGMILL_DOUBLES
#include "../kernels/transform_entries.cuh"
