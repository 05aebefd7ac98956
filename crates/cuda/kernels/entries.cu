// The kernels by name. On a GPU only those of the device's ring and arithmetic are compiled; the emulator has all.
#include "convert.cuh"
#include "digits.cuh"
#include "keys.cuh"
#include "limbs.cuh"
#include "multiples.cuh"
#include "pointwise.cuh"
#include "products.cuh"

#if defined(RINGMILL_FERMAT) || defined(RINGMILL_NEGACYCLIC)
#include "transform_entries.cuh"
#endif

#define KERNELS(name, Field)                                                                       \
  ENTRY(sum_##name, SumParameters, Sum<Field>)                                                     \
  ENTRY(copy_##name, CopyParameters, Copy)                                                         \
  ENTRY(dot_##name, DotParameters, Dot<Field>)                                                     \
  ENTRY(key_sum_##name, KeySumParameters, KeySum<Field>)                                           \
  ENTRY(move_##name, MoveParameters, Move<Field>)                                                  \
  ENTRY(convert_##name, ConvertParameters, Convert<Field, FEW_SOURCES>)                            \
  ENTRY(convert_many_##name, ConvertParameters, Convert<Field, MOST_SOURCES>)                      \
  ENTRY(multiples_##name, MultiplesParameters, Multiples<Field, false>)                            \
  ENTRY(add_multiples_##name, MultiplesParameters, Multiples<Field, true>)                         \
  ENTRY(integers_##name, IntegersParameters, Integers<Field, FEW_SOURCES>)                         \
  ENTRY(integers_many_##name, IntegersParameters, Integers<Field, MOST_SOURCES>)                   \
  ENTRY(digits_##name, DigitsParameters, DigitsOfIntegers<Field>)

#if defined(RINGMILL_DOUBLES)
KERNELS(doubles, Doubles)
#endif

#if defined(RINGMILL_WORDS)
KERNELS(words, Words)
#endif

#if defined(RINGMILL_BOUNDS)
KERNELS(bounds, Bounds)
#endif
