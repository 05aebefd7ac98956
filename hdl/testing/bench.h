// A bench: one verilated model, its clock, its random numbers and the report of what failed.
//
// A bench file defines `template <class Model> void test(ringmill::Bench<Model>& bench)`. It is compiled once for all
// its parameter sets and run on a model of each.

#pragma once

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "primes.h"
#include "random.h"
#include "wide.h"

#if VM_COVERAGE
#include "verilated_cov.h"
#endif

namespace ringmill {

/// Parameters of the model by name.
using Parameters = std::map<std::string, std::uint64_t>;

template <class Model>
class Bench {
 public:
  Bench(std::string name, Parameters parameters, std::uint64_t seed)
      : random(seed), model_(std::make_unique<Model>(&context_)), name_(std::move(name)),
        parameters_(std::move(parameters)) {
    context_.assertOn(true);
  }
  ~Bench() { model_->final(); }

  Random random;

  /// Called at the end of each cycle, when the inputs stand: a part of the world that answers combinationally.
  std::function<void()> before_edge;

  Model* operator->() { return model_.get(); }
  Model& model() { return *model_; }

  /// A parameter of this set, which must name it.
  std::uint64_t parameter(const std::string& name) const { return parameters_.at(name); }

  /// The same, or a default if this set does not name it.
  std::uint64_t parameter_or(const std::string& name, std::uint64_t value) const {
    const auto found = parameters_.find(name);
    return found == parameters_.end() ? value : found->second;
  }

  /// Lets combinational outputs follow the inputs.
  void settle() { model_->eval(); }

  /// One cycle: rising edge with the inputs as they are, then the outputs after it.
  void step() {
    model_->eval();
    if (before_edge) before_edge();
    model_->clk_i = 1;
    model_->eval();
    context_.timeInc(1);
    model_->clk_i = 0;
    model_->eval();
    context_.timeInc(1);
    ++cycles_;
  }

  /// Two cycles of reset.
  void reset() {
    model_->rst_ni = 0;
    step();
    step();
    model_->rst_ni = 1;
    settle();
  }

  std::uint64_t cycles() const { return cycles_; }

  /// Counts a check; prints the first failures.
  void expect(bool holds, const std::string& what) {
    ++checks_;
    if (holds) return;
    ++failures_;
    if (failures_ <= 5) std::printf("  %s, cycle %lu: %s\n", name_.c_str(), cycles_, what.c_str());
  }

  /// The same for a value.
  void expect_equal(Wide actual, Wide expected, const std::string& what) {
    if (actual == expected) {
      ++checks_;
    } else {
      expect(false, what + ": expected " + text(expected) + ", got " + text(actual));
    }
  }

  /// Prints the summary and writes what was covered; whether all checks held, and there were some.
  bool passes() {
#if VM_COVERAGE
    if (const char* folder = std::getenv("RINGMILL_HW_COVERAGE")) {
      context_.coveragep()->write(std::string(folder) + "/" + name_ + ".dat");
    }
#endif
    std::printf("  %s: %lu cycles, %lu of %lu checks failed\n", name_.c_str(), cycles_, failures_, checks_);
    return checks_ != 0 && failures_ == 0;
  }

 private:
  VerilatedContext context_;
  std::unique_ptr<Model> model_;
  std::string name_;
  Parameters parameters_;
  std::uint64_t cycles_ = 0;
  std::uint64_t checks_ = 0;
  std::uint64_t failures_ = 0;
};

/// Feeds a pipeline with `enable_i` a value nearly every cycle for `count` values and checks each result `latency` enabled
/// cycles later. `drive` sets the inputs and returns what to expect; `describe` tells the inputs of a failure.
template <class Model, class Output>
void check_pipeline(Bench<Model>& bench, unsigned latency, unsigned count, Output& output,
                    const std::function<Wide(std::string&)>& drive) {
  std::deque<std::pair<Wide, std::string>> expected;
  for (unsigned fed = 0; fed < count + latency; ++fed) {
    while (bench.random.chance(10)) {
      const Wide held = get(output);
      bench->enable_i = 0;
      bench.step();
      bench.expect_equal(get(output), held, "output while disabled");
    }
    bench->enable_i = 1;
    std::string inputs;
    const Wide value = drive(inputs);
    expected.emplace_back(value, std::move(inputs));
    bench.step();
    if (expected.size() < latency) continue;
    bench.expect_equal(get(output), expected.front().first, expected.front().second);
    expected.pop_front();
  }
}

/// Runs the bench on one parameter set; whether it passes.
template <class Model>
bool run(void (*test)(Bench<Model>&), const std::string& name, const Parameters& parameters) {
  const char* seed = std::getenv("RINGMILL_HW_SEED");
  Bench<Model> bench(name, parameters, seed ? std::strtoull(seed, nullptr, 0) : 1);
  test(bench);
  return bench.passes();
}

}  // namespace ringmill
