// The kernels by name. On a card only those of the device's ring and arithmetic are compiled; the emulator has all.
#include "keys.cuh"
#include "limbs.cuh"
#include "pointwise.cuh"
#include "products.cuh"
#if defined(RINGMILL_FERMAT) || defined(RINGMILL_NEGACYCLIC)
#include "transform_entries.cuh"
#endif

#if defined(RINGMILL_DOUBLES)
ENTRY(sum_doubles, SumParameters, Sum<Doubles>)
ENTRY(copy_doubles, CopyParameters, Copy)
ENTRY(dot_doubles, DotParameters, Dot<Doubles>)
ENTRY(key_sum_doubles, KeySumParameters, KeySum<Doubles>)
ENTRY(move_doubles, MoveParameters, Move<Doubles>)
#endif

#if defined(RINGMILL_WORDS)
ENTRY(sum_words, SumParameters, Sum<Words>)
ENTRY(copy_words, CopyParameters, Copy)
ENTRY(dot_words, DotParameters, Dot<Words>)
ENTRY(key_sum_words, KeySumParameters, KeySum<Words>)
ENTRY(move_words, MoveParameters, Move<Words>)
#endif

#if defined(RINGMILL_BOUNDS)
ENTRY(sum_bounds, SumParameters, Sum<Bounds>)
ENTRY(copy_bounds, CopyParameters, Copy)
ENTRY(dot_bounds, DotParameters, Dot<Bounds>)
ENTRY(key_sum_bounds, KeySumParameters, KeySum<Bounds>)
ENTRY(move_bounds, MoveParameters, Move<Bounds>)
#endif
