// The language that kernels are written in: blocks of threads whose work comes in phases between barriers.
//
// A kernel is a structure with the number of threads of a block and a function `run`:
//
//     struct Kernel {
//       static constexpr u32 threads = 256;
//       DEVICE static void run(const Parameters& in, Block& block) {
//         Shared<double> tile = block.shared<double, 4096>();  // shared by the threads of the block
//         Kept<Registers<double, 16>> x(block);                 // each thread's own: x[t]
//         block.phase([&](u32 t) { ... });                      // by every thread t; a barrier follows
//         block.last([&](u32 t) { ... });                       // no barrier follows
//       }
//     };
//
// On a GPU a phase is the call for the thread's own number, and then a barrier. The emulator (emulator/block.hpp)
// calls it for one thread after the other and sees that no thread reads or writes a shared word that another one
// writes in the same phase: so there are no races, whatever the order.
//
// Words of polynomials in memory are read by `fetch` and written by `put`, so that the emulator can count them; tables
// are read as they are.
//
// Nothing else connects threads: no atomics, no exchange within warps, and what a block writes to memory no other
// block of the launch reads or writes.
#pragma once

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// What the host passes has the same layout there: a test in Rust compares these numbers with its own (src/layout.rs).
// NVRTC has no `offsetof`; its front end computes that of a constant address.
#ifdef __CUDACC__
#define OFFSET(type, name) __INTADDR__(&((type*)0)->name)
#else
#define OFFSET(type, name) __builtin_offsetof(type, name)
#endif
#define SIZE(type, bytes) static_assert(sizeof(type) == bytes, "the size of " #type);
#define FIELD(type, name, at) static_assert(OFFSET(type, name) == at, "where " #type "::" #name " is");

#ifdef __CUDACC__

#define DEVICE __device__ __forceinline__
// What can be computed when kernels are compiled.
#define CONSTANT __host__ __device__ constexpr

// Words that all threads of a block see.
template <class T>
class Shared {
 public:
  DEVICE explicit Shared(T* words) : words(words) {}
  DEVICE T get(u32 i) const { return words[i]; }
  DEVICE void set(u32 i, T value) const { words[i] = value; }

 private:
  T* words;
};

class Block {
 public:
  // The block's place in the grid.
  DEVICE u32 x() const { return blockIdx.x; }
  DEVICE u32 y() const { return blockIdx.y; }
  DEVICE u32 z() const { return blockIdx.z; }

  // Shared words of any content. A kernel that needs several arrays of one type and size tells them apart by
  // `Which`.
  template <class T, u32 Size, u32 Which = 0>
  DEVICE Shared<T> shared() {
    __shared__ T words[Size];
    return Shared<T>(words);
  }

  template <class F>
  DEVICE void phase(F work) {
    work(threadIdx.x);
    __syncthreads();
  }

  template <class F>
  DEVICE void last(F work) {
    work(threadIdx.x);
  }
};

// A value of each thread that lives from one phase to the next.
template <class T>
class Kept {
 public:
  DEVICE explicit Kept(const Block&) {}
  DEVICE T& operator[](u32) { return value; }

 private:
  T value;
};

// A word of memory, or several; and what is written there.
template <class T>
DEVICE T fetch(const T& word) {
  return word;
}
template <class T>
DEVICE void put(T& word, T value) {
  word = value;
}

// The high half of a product.
DEVICE i64 high_product(i64 a, i64 b) { return __mul64hi(a, b); }
DEVICE u64 high_product(u64 a, u64 b) { return __umul64hi(a, b); }
// a b + c with one rounding; a b and a + b, never contracted to that.
DEVICE double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
DEVICE double product_of(double a, double b) { return __dmul_rn(a, b); }
DEVICE double sum_of(double a, double b) { return __dadd_rn(a, b); }
DEVICE u64 bits_of(double x) { return __double_as_longlong(x); }
DEVICE double double_of(u64 x) { return __longlong_as_double(x); }
// The bits from the last to the first.
DEVICE u32 reversed(u32 x) { return __brev(x); }

// Makes a kernel known by name; parameters are passed by value.
#define ENTRY(name, Parameters, ...)                                                               \
  extern "C" __global__ void __launch_bounds__(__VA_ARGS__::threads)                               \
      name(const __grid_constant__ Parameters in) {                                                \
    Block block;                                                                                   \
    __VA_ARGS__::run(in, block);                                                                   \
  }

#else
#include "../emulator/block.hpp"
#endif

// An array that is kept in registers where all its indices are known when it is compiled.
template <class T, u32 Size>
struct Registers {
  T at[Size];
  DEVICE T& operator[](u32 i) { return at[i]; }
  DEVICE const T& operator[](u32 i) const { return at[i]; }
};

template <class T>
DEVICE T* pointer(u64 address) {
  return reinterpret_cast<T*>(address);
}
