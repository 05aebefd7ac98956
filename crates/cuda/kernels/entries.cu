// The kernels by name. On a card only those of the device's ring and arithmetic are compiled; the emulator has all.
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

#if defined(RINGMILL_DOUBLES)
ENTRY(sum_doubles, SumParameters, Sum<Doubles>)
ENTRY(copy_doubles, CopyParameters, Copy)
ENTRY(dot_doubles, DotParameters, Dot<Doubles>)
ENTRY(key_sum_doubles, KeySumParameters, KeySum<Doubles>)
ENTRY(move_doubles, MoveParameters, Move<Doubles>)
ENTRY(convert_doubles, ConvertParameters, Convert<Doubles, FEW_SOURCES>)
ENTRY(convert_many_doubles, ConvertParameters, Convert<Doubles, MOST_SOURCES>)
ENTRY(multiples_doubles, MultiplesParameters, Multiples<Doubles, false>)
ENTRY(add_multiples_doubles, MultiplesParameters, Multiples<Doubles, true>)
ENTRY(integers_doubles, IntegersParameters, Integers<Doubles, FEW_SOURCES>)
ENTRY(integers_many_doubles, IntegersParameters, Integers<Doubles, MOST_SOURCES>)
ENTRY(digits_doubles, DigitsParameters, DigitsOfIntegers<Doubles>)
#endif

#if defined(RINGMILL_WORDS)
ENTRY(sum_words, SumParameters, Sum<Words>)
ENTRY(copy_words, CopyParameters, Copy)
ENTRY(dot_words, DotParameters, Dot<Words>)
ENTRY(key_sum_words, KeySumParameters, KeySum<Words>)
ENTRY(move_words, MoveParameters, Move<Words>)
ENTRY(convert_words, ConvertParameters, Convert<Words, FEW_SOURCES>)
ENTRY(convert_many_words, ConvertParameters, Convert<Words, MOST_SOURCES>)
ENTRY(multiples_words, MultiplesParameters, Multiples<Words, false>)
ENTRY(add_multiples_words, MultiplesParameters, Multiples<Words, true>)
ENTRY(integers_words, IntegersParameters, Integers<Words, FEW_SOURCES>)
ENTRY(integers_many_words, IntegersParameters, Integers<Words, MOST_SOURCES>)
ENTRY(digits_words, DigitsParameters, DigitsOfIntegers<Words>)
#endif

#if defined(RINGMILL_BOUNDS)
ENTRY(sum_bounds, SumParameters, Sum<Bounds>)
ENTRY(copy_bounds, CopyParameters, Copy)
ENTRY(dot_bounds, DotParameters, Dot<Bounds>)
ENTRY(key_sum_bounds, KeySumParameters, KeySum<Bounds>)
ENTRY(move_bounds, MoveParameters, Move<Bounds>)
ENTRY(convert_bounds, ConvertParameters, Convert<Bounds, FEW_SOURCES>)
ENTRY(convert_many_bounds, ConvertParameters, Convert<Bounds, MOST_SOURCES>)
ENTRY(multiples_bounds, MultiplesParameters, Multiples<Bounds, false>)
ENTRY(add_multiples_bounds, MultiplesParameters, Multiples<Bounds, true>)
ENTRY(integers_bounds, IntegersParameters, Integers<Bounds, FEW_SOURCES>)
ENTRY(integers_many_bounds, IntegersParameters, Integers<Bounds, MOST_SOURCES>)
ENTRY(digits_bounds, DigitsParameters, DigitsOfIntegers<Bounds>)
#endif
