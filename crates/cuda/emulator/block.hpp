// Blocks of threads, run by the host one thread after the other: the other side of kernels/machine.cuh.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define DEVICE inline
#define CONSTANT constexpr

#include "counts.hpp"

// What a kernel did wrong.
class Misuse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where a block is in its work.
struct Moment {
  u32 phase = 1;
  u32 thread = 0;
};

// Who wrote and read a shared word last. Phases count from 1; 0 is never.
struct Trace {
  u32 written = 0;
  u32 writer = 0;
  u32 read = 0;
  u32 reader = 0;
  bool several_readers = false;
};

// Words that all threads of a block see, and who used them when.
template <class T>
class Shared {
 public:
  Shared(u32 size, const Moment* moment, bool checked)
      : words(new T[size]), size(size), moment(moment), traces(checked ? size : 0) {}

  T get(u32 i) {
    if (!traces.empty()) {
      Trace& trace = at(i);
      if (trace.written == 0) fail(i, "is read before it is written");
      if (trace.written == moment->phase && trace.writer != moment->thread) {
        fail(i, "is read in the phase in which another thread wrote it");
      }
      trace.several_readers =
          trace.read == moment->phase && (trace.several_readers || trace.reader != moment->thread);
      trace.read = moment->phase;
      trace.reader = moment->thread;
    }
    return words[i];
  }

  void set(u32 i, T value) {
    if (!traces.empty()) {
      Trace& trace = at(i);
      if (trace.written == moment->phase && trace.writer != moment->thread) {
        fail(i, "is written by two threads in one phase");
      }
      if (trace.read == moment->phase && (trace.several_readers || trace.reader != moment->thread)) {
        fail(i, "is written in the phase in which another thread read it");
      }
      trace.written = moment->phase;
      trace.writer = moment->thread;
    }
    words[i] = value;
  }

 private:
  std::shared_ptr<T[]> words;
  u32 size;
  const Moment* moment;
  std::vector<Trace> traces;

  Trace& at(u32 i) {
    if (i >= size) fail(i, "is beyond the end");
    return traces[i];
  }

  [[noreturn]] void fail(u32 i, const char* problem) const {
    throw Misuse("shared word " + std::to_string(i) + " of " + std::to_string(size) + " " + problem +
                 " (phase " + std::to_string(moment->phase) + ", thread " + std::to_string(moment->thread) +
                 ")");
  }
};

class Block {
 public:
  Block(u32 x, u32 y, u32 z, u32 threads, bool checked, bool backwards)
      : place{x, y, z}, count(threads), checked(checked), backwards(backwards) {}

  u32 x() const { return place[0]; }
  u32 y() const { return place[1]; }
  u32 z() const { return place[2]; }
  u32 threads() const { return count; }

  template <class T, u32 Size, u32 Which = 0>
  Shared<T> shared() {
    shared_bytes += Size * sizeof(T);
    if (shared_bytes > 48 * 1024) throw Misuse("a block has more than 48 KiB of shared memory");
    return Shared<T>(Size, &moment, checked);
  }

  template <class F>
  void phase(F work) {
    last(work);
    ++moment.phase;
  }

  template <class F>
  void last(F work) {
    for (u32 i = 0; i < count; ++i) {
      moment.thread = backwards ? count - 1 - i : i;
      work(moment.thread);
    }
  }

 private:
  u32 place[3];
  u32 count;
  bool checked, backwards;
  u32 shared_bytes = 0;
  Moment moment;
};

template <class T>
class Kept {
 public:
  explicit Kept(const Block& block) : values(new T[block.threads()]) {}
  T& operator[](u32 t) { return values[t]; }

 private:
  std::unique_ptr<T[]> values;
};

inline i64 high_product(i64 a, i64 b) { return static_cast<i64>(static_cast<__int128>(a) * b >> 64); }
inline u64 high_product(u64 a, u64 b) {
  return static_cast<u64>(static_cast<unsigned __int128>(a) * b >> 64);
}
inline double fused(double a, double b, double c) { return std::fma(a, b, c); }
inline double product_of(double a, double b) { return a * b; }
inline double sum_of(double a, double b) { return a + b; }
inline u64 bits_of(double x) {
  u64 bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
inline double double_of(u64 x) {
  double value;
  std::memcpy(&value, &x, sizeof value);
  return value;
}
inline u32 reversed(u32 x) {
  for (u32 half = 16, mask = 0x0000ffff; half > 0; half /= 2, mask ^= mask << half) {
    x = (x >> half & mask) | (x & mask) << half;
  }
  return x;
}

// How blocks are run.
struct Mode {
  bool checked;
  bool backwards;
};

// A kernel for one block.
struct Kernel {
  const char* name;
  u32 threads;
  u64 parameters;
  void (*run)(const void* parameters, u32 x, u32 y, u32 z, Mode mode);
};

// All kernels.
std::vector<Kernel>& kernels();

template <class K, class Parameters>
void run_block(const void* parameters, u32 x, u32 y, u32 z, Mode mode) {
  Block block(x, y, z, K::threads, mode.checked, mode.backwards);
  K::run(*static_cast<const Parameters*>(parameters), block);
}

struct Registration {
  explicit Registration(Kernel kernel) { kernels().push_back(kernel); }
};

#define ENTRY(name, Parameters, ...)                                                               \
  static const Registration registered_##name({#name, __VA_ARGS__::threads, sizeof(Parameters),    \
                                               &run_block<__VA_ARGS__, Parameters>});
