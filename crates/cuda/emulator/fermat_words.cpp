// The transforms of Fermat rings with words, for the host.
#define RINGMILL_FERMAT
#define RINGMILL_WORDS
#include "../kernels/transform_entries.cuh"
