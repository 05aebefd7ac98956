// A verilated multi-precision conversion pipeline, behind an interface without templates.

#pragma once

#include <cstdint>

#include "clocked.h"

namespace ringmill {

/// A word of a table (`Entry` in Rust has the same layout).
struct TableEntry {
  std::uint32_t table;
  std::uint32_t unit;
  std::uint32_t address;
  std::uint64_t data;
};

/// Coefficients in and out, one after another (`Conversion` in Rust has the same layout).
struct Conversion {
  const std::uint64_t* input;
  std::uint64_t* residues;
  std::uint64_t* words;
  std::uint8_t* negatives;
  std::uint64_t coefficients;
  std::uint64_t input_residues;   // of a coefficient
  std::uint64_t output_residues;  // of a coefficient
  std::uint64_t output_words;     // of a coefficient: 0 in a lift
  std::uint64_t cycles;           // result: from the first residue in to the last one out
};

class ConversionMachine {
 public:
  virtual ~ConversionMachine() = default;
  virtual Status load(const TableEntry* entries, std::uint64_t count) = 0;
  virtual Status run(bool scale, Conversion& conversion) = 0;
  virtual std::uint64_t cycles() const = 0;
};

template <class Model>
class ConversionModel : public ConversionMachine, private Clocked<Model> {
 public:
  ConversionModel() {
    model_.table_write_i = 0;
    model_.residue_valid_i = 0;
    model_.conversion_i = 0;
    this->restart();
  }

  Status load(const TableEntry* entries, std::uint64_t count) override {
    model_.table_write_i = 1;
    for (std::uint64_t i = 0; i < count && !failed(); ++i) {
      model_.table_i = entries[i].table;
      model_.table_unit_i = entries[i].unit;
      model_.table_address_i = entries[i].address;
      model_.table_data_i = entries[i].data;
      edge();
    }
    model_.table_write_i = 0;
    return failed() ? kAssertion : kDone;
  }

  Status run(bool scale, Conversion& conversion) override {
    const std::uint64_t inputs = conversion.coefficients * conversion.input_residues;
    const std::uint64_t outputs = conversion.coefficients * conversion.output_residues;
    const std::uint64_t start = this->elapsed();
    model_.conversion_i = scale;
    std::uint64_t taken = 0, given = 0, word = 0;
    Status status = kDone;
    for (std::uint64_t quiet = 0; given < outputs; ++quiet) {
      if (failed()) status = kAssertion;
      else if (quiet > kPatience) status = kStuck;
      if (status != kDone) break;
      model_.residue_valid_i = taken < inputs;
      if (taken < inputs) model_.residue_i = static_cast<std::uint32_t>(conversion.input[taken]);
      model_.eval();
      if (taken < inputs && model_.residue_ready_o) ++taken;
      edge();
      model_.eval();
      if (model_.word_valid_o) take_word(conversion, word++);
      if (!model_.residue_valid_o) continue;
      conversion.residues[given++] = model_.residue_o;
      quiet = 0;
    }
    model_.residue_valid_i = 0;
    conversion.cycles = this->elapsed() - start;
    return status;
  }

  std::uint64_t cycles() const override { return this->elapsed(); }

 private:
  using Clocked<Model>::edge;
  using Clocked<Model>::failed;
  using Clocked<Model>::model_;

  /// Cycles without a result after which the machine is called stuck: more than any takes.
  static constexpr std::uint64_t kPatience = 1 << 20;

  void take_word(Conversion& conversion, std::uint64_t word) {
    if (word >= conversion.coefficients * conversion.output_words) return;
    conversion.words[word] = model_.word_o;
    conversion.negatives[word / conversion.output_words] = model_.word_negative_o;
  }
};

}  // namespace ringmill
