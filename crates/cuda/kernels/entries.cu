// The kernels by name. On a card only those of the device's ring and arithmetic are compiled; the emulator has all.
#include "pointwise.cuh"

#if defined(RINGMILL_DOUBLES)
ENTRY(sum_doubles, SumParameters, Sum<Doubles>)
#endif

#if defined(RINGMILL_WORDS)
ENTRY(sum_words, SumParameters, Sum<Words>)
#endif

#if defined(RINGMILL_BOUNDS)
ENTRY(sum_bounds, SumParameters, Sum<Bounds>)
#endif
