// The emulator's C interface.
#include "../kernels/machine.cuh"

std::vector<Kernel>& kernels() {
  static std::vector<Kernel> all;
  return all;
}

namespace {

const Kernel* find(const char* name) {
  for (const Kernel& kernel : kernels()) {
    if (std::strcmp(kernel.name, name) == 0) return &kernel;
  }
  return nullptr;
}

void say(char* problem, u64 room, const std::string& text) {
  std::snprintf(problem, room, "%s", text.c_str());
}

}  // namespace

// Runs a kernel block by block; 0 if all went well and `done` says what it did, else says in `problem` what went wrong.
extern "C" int ringmill_emulate(const char* name, const u32 grid[3], u32 threads, const void* parameters,
                                u64 parameter_bytes, int checked, int backwards, Counts* done, char* problem,
                                u64 room) {
  const Kernel* kernel = find(name);
  if (kernel == nullptr) {
    say(problem, room, "there is no such kernel");
    return 1;
  }
  if (kernel->threads != threads || kernel->parameters != parameter_bytes) {
    say(problem, room,
        "it takes " + std::to_string(kernel->threads) + " threads and " +
            std::to_string(kernel->parameters) + " bytes of parameters, not " + std::to_string(threads) +
            " and " + std::to_string(parameter_bytes));
    return 1;
  }
  const u64 blocks = u64(grid[0]) * grid[1] * grid[2];
  counts = {};
  recent = {};
  try {
    for (u64 i = 0; i < blocks; ++i) {
      const u64 at = backwards ? blocks - 1 - i : i;
      kernel->run(parameters, at % grid[0], at / grid[0] % grid[1], at / grid[0] / grid[1],
                  Mode{checked != 0, backwards != 0});
    }
  } catch (const std::exception& misuse) {
    say(problem, room, misuse.what());
    return 2;
  }
  *done = counts;
  return 0;
}
