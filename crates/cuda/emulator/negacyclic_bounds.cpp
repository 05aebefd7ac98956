// The transforms of x^n + 1 with bounds, for the host.
#define RINGMILL_NEGACYCLIC
#define RINGMILL_BOUNDS
#include "bounds.hpp"
#include "../kernels/transform_entries.cuh"
