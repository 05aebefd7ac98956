// The transforms of Fermat rings with bounds, for the host.
#define RINGMILL_FERMAT
#define RINGMILL_BOUNDS
#include "bounds.hpp"
#include "../kernels/transform_entries.cuh"
