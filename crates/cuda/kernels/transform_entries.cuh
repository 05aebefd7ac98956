// The kernels of transforms by name: those of one ring where RINGMILL_N says its dimension, else of all.
#pragma once

#ifdef RINGMILL_FERMAT
#include "transform_fermat.cuh"

#define TRANSFORM(n, name, Field)                                                                  \
  ENTRY(fermat_columns_##n##_ahead_##name, TransformParameters, FermatColumns<Field, n, false>)    \
  ENTRY(fermat_rows_##n##_##name, TransformParameters, FermatRows<Field, n>)                       \
  ENTRY(fermat_columns_##n##_back_##name, TransformParameters, FermatColumns<Field, n, true>)
#define ALL_TRANSFORMS(name, Field)                                                                \
  TRANSFORM(2048, name, Field)                                                                     \
  TRANSFORM(4096, name, Field)                                                                     \
  TRANSFORM(8192, name, Field)                                                                     \
  TRANSFORM(16384, name, Field)                                                                    \
  TRANSFORM(32768, name, Field)                                                                    \
  TRANSFORM(65536, name, Field)                                                                    \
  TRANSFORM(131072, name, Field)
#endif

#ifdef RINGMILL_NEGACYCLIC
#include "transform_negacyclic.cuh"

// Limbs of up to 256 words are rows.
#define ROWS(n, name, Field)                                                                       \
  ENTRY(negacyclic_rows_##n##_ahead_##name, TransformParameters, NegacyclicRows<Field, n, false>)  \
  ENTRY(negacyclic_rows_##n##_back_##name, TransformParameters, NegacyclicRows<Field, n, true>)
#define TRANSFORM(n, name, Field)                                                                  \
  ENTRY(negacyclic_columns_##n##_ahead_##name, TransformParameters,                                \
        NegacyclicColumns<Field, n, false>)                                                        \
  ENTRY(negacyclic_columns_##n##_back_##name, TransformParameters,                                 \
        NegacyclicColumns<Field, n, true>)                                                         \
  ROWS(n, name, Field)
#define ALL_TRANSFORMS(name, Field)                                                                \
  ROWS(64, name, Field)                                                                            \
  ROWS(128, name, Field)                                                                           \
  ROWS(256, name, Field)                                                                           \
  TRANSFORM(512, name, Field)                                                                      \
  TRANSFORM(1024, name, Field)                                                                     \
  TRANSFORM(2048, name, Field)                                                                     \
  TRANSFORM(4096, name, Field)                                                                     \
  TRANSFORM(8192, name, Field)                                                                     \
  TRANSFORM(16384, name, Field)                                                                    \
  TRANSFORM(32768, name, Field)                                                                    \
  TRANSFORM(65536, name, Field)                                                                    \
  TRANSFORM(131072, name, Field)
#endif

#ifdef RINGMILL_N
// The dimension is replaced by its value before the names are made.
#if RINGMILL_N > 256
#define ONE_TRANSFORM(n, name, Field) TRANSFORM(n, name, Field)
#else
#define ONE_TRANSFORM(n, name, Field) ROWS(n, name, Field)
#endif
#define TRANSFORMS(name, Field) ONE_TRANSFORM(RINGMILL_N, name, Field)
#else
#define TRANSFORMS(name, Field) ALL_TRANSFORMS(name, Field)
#endif

#ifdef RINGMILL_DOUBLES
#include "doubles.cuh"
TRANSFORMS(doubles, Doubles)
#endif

#ifdef RINGMILL_WORDS
#include "words.cuh"
TRANSFORMS(words, Words)
#endif

#ifdef RINGMILL_BOUNDS
TRANSFORMS(bounds, Bounds)
#endif
