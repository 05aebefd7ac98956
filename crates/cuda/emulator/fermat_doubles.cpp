// The transforms of Fermat rings with doubles, for the host.
#define RINGMILL_FERMAT
#define RINGMILL_DOUBLES
#include "../kernels/transform_entries.cuh"
