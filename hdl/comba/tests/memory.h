// A memory of words as paper 5 has it: a read or a write holds for two cycles, and a read's word is there in the second.

#pragma once

#include <cstdint>
#include <map>

#include "bench.h"

namespace comba {

template <class Model>
class Memory {
 public:
  explicit Memory(ringmill::Bench<Model>& bench) : bench_(bench) {}

  std::uint64_t& operator[](std::uint32_t address) { return words_[address]; }

  std::uint64_t reads() const { return reads_; }
  std::uint64_t writes() const { return writes_; }

  /// A cycle of the model and the memory.
  void step() {
    bench_.settle();
    const bool reads = read(bench_.model()), writes = write(bench_.model());
    bench_.expect(!(reads && writes), "a read or a write");
    const std::uint32_t address = bench_->address_o;
    const std::uint64_t written = written_by(bench_.model());
    std::uint64_t data = bench_.random.word();
    if (second_) {
      bench_.expect(reads == was_read_ && writes != was_read_, "a request holds");
      bench_.expect_equal(address, address_, "its address holds");
      if (writes) {
        bench_.expect_equal(written, written_, "its word holds");
        words_[address] = written;
        ++writes_;
      } else {
        ++reads_;
      }
      second_ = false;
    } else if (reads || writes) {
      second_ = true;
      was_read_ = reads;
      address_ = address;
      written_ = written;
      if (reads) data = words_[address];
    }
    bench_.step();
    bench_->data_i = data;
    bench_.settle();
  }

 private:
  template <class M>
  static bool read(M& model) {
    return model.read_o;
  }
  template <class M>
  static bool write(M& model) {
    if constexpr (requires { model.write_o; }) return model.write_o;
    return false;
  }
  template <class M>
  static std::uint64_t written_by(M& model) {
    if constexpr (requires { model.data_o; }) return model.data_o;
    return 0;
  }

  ringmill::Bench<Model>& bench_;
  std::map<std::uint32_t, std::uint64_t> words_;
  bool second_ = false;
  bool was_read_ = false;
  std::uint32_t address_ = 0;
  std::uint64_t written_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
};

}  // namespace comba
