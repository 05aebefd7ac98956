// A driver for tests: what of the interface `cuda.h` the GPU uses, on the host's memory, one call after the other.
//
// RINGMILL_TEST_DRIVER says what is wrong with it: "nothing", "no pools", "mismatch", "no GPU", "old GPU" or "no image". When the
// context is released it writes into the file RINGMILL_TEST_LEFT what was not destroyed or freed.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace {

typedef int Code;
typedef void* Handle;

enum : Code {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  no_device = 100,
  invalid_image = 200,
  invalid_context = 201,
  invalid_handle = 400,
  not_found = 500,
  illegal_address = 700,
  driver_mismatch = 803,
};

constexpr size_t memory_bytes = size_t{1} << 30;

struct Parameters {
  uint64_t from, to;
  double factor;
};

// Everything below is changed under this lock only.
std::recursive_mutex lock;
int contexts;
Code fault;
size_t used;
uintptr_t next_handle = 0x1000;
std::map<Handle, std::string> handles;  // stream, event, module or the name of a kernel
std::map<uint64_t, size_t> memory;
std::set<void*> host_memory;
thread_local Handle current;

std::string wrong() {
  const char* value = getenv("RINGMILL_TEST_DRIVER");
  return value ? value : "";
}

Handle add(const std::string& kind) {
  const Handle handle = reinterpret_cast<Handle>(next_handle += 16);
  handles[handle] = kind;
  return handle;
}

bool is(Handle handle, const char* kind) {
  const auto found = handles.find(handle);
  return found != handles.end() && found->second == kind;
}

// What every call within a context sees first.
Code state() { return !contexts || !current ? invalid_context : fault; }

Code destroy(Handle handle, const char* kind) {
  if (Code code = state()) return code;
  return is(handle, kind) ? (handles.erase(handle), success) : invalid_handle;
}

// Whether all of a range was allocated.
bool inside(uint64_t start, size_t bytes) {
  auto next = memory.upper_bound(start);
  return next != memory.begin() && (--next, start + bytes <= next->first + next->second);
}

void run(const std::string& name, const Parameters& in, unsigned blocks) {
  if (name == "faulty" || !inside(in.from, 2048 * blocks) || !inside(in.to, 2048 * blocks)) {
    fault = illegal_address;
    return;
  }
  const double* from = reinterpret_cast<const double*>(in.from);
  double* to = reinterpret_cast<double*>(in.to);
  for (unsigned i = 0; i < 256 * blocks; ++i) to[i] = from[i ^ 255] * in.factor + in.factor;
}

void report() {
  const char* path = getenv("RINGMILL_TEST_LEFT");
  FILE* file = path ? fopen(path, "w") : nullptr;
  if (!file) return;
  size_t left = memory.size() + host_memory.size();
  for (const auto& handle : handles) left += handle.second[0] == '*';
  fprintf(file, "%zu", left);
  fclose(file);
}

}  // namespace

#define CALL extern "C" __attribute__((visibility("default"))) Code
#define LOCKED std::lock_guard<std::recursive_mutex> guard(lock)

CALL cuInit(unsigned) {
  if (wrong() == "mismatch") return driver_mismatch;
  return wrong() == "no GPU" ? no_device : success;
}
CALL cuDriverGetVersion(int* version) { return *version = 13000, success; }
CALL cuGetErrorName(Code code, const char** text) {
  if (code != illegal_address && code != driver_mismatch && code != invalid_image) return invalid_value;
  *text = code == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : code == invalid_image ? "CUDA_ERROR_INVALID_IMAGE"
                                  : "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
  return success;
}
CALL cuGetErrorString(Code, const char** text) { return *text = "a text", success; }
CALL cuDeviceGetCount(int* count) {
  if (wrong() == "no GPU") return not_initialized;
  return *count = 1, success;
}
CALL cuDeviceGet(int* device, int index) { return *device = index, index == 0 ? success : invalid_value; }
CALL cuDeviceGetName(char* name, int room, int) { return snprintf(name, room, "Test GPU"), success; }
CALL cuDeviceTotalMem_v2(size_t* bytes, int) { return *bytes = memory_bytes, success; }
CALL cuDeviceGetAttribute(int* value, int attribute, int) {
  const bool old = wrong() == "old GPU";
  if (attribute == 115) return *value = wrong() != "no pools", success;
  return *value = attribute == 75 ? (old ? 7 : 9) : (old ? 5 : 0), success;
}
CALL cuDevicePrimaryCtxRetain(Handle* context, int) {
  LOCKED;
  ++contexts;
  return *context = &contexts, success;
}
CALL cuDevicePrimaryCtxRelease_v2(int) {
  LOCKED;
  if (--contexts == 0) report();
  return success;
}
CALL cuCtxSetCurrent(Handle context) {
  current = context;
  return context == &contexts ? success : invalid_context;
}
CALL cuModuleLoadDataEx(Handle* module, const void* image, unsigned count, int* options, void** values) {
  LOCKED;
  if (Code code = state()) return code;
  if (count != 2 || options[0] != 5 || options[1] != 6) return invalid_value;
  const size_t room = reinterpret_cast<size_t>(values[1]);
  if (wrong() == "no image") return snprintf(static_cast<char*>(values[0]), room, "a log"), invalid_image;
  if (memcmp(image, "\x7f" "ELF", 4)) return invalid_image;
  return *module = add("*module"), success;
}
CALL cuModuleUnload(Handle module) { LOCKED; return destroy(module, "*module"); }
CALL cuModuleGetFunction(Handle* function, Handle module, const char* name) {
  LOCKED;
  if (Code code = state()) return code;
  if (!is(module, "*module")) return invalid_handle;
  const std::string text = name;
  if (text != "reverse" && text != "slow" && text != "faulty") return not_found;
  return *function = add(text), success;
}
CALL cuFuncGetAttribute(int* value, int attribute, Handle) {
  return *value = 256, attribute == 0 ? success : invalid_value;
}
CALL cuFuncGetParamInfo(Handle, size_t index, size_t* offset, size_t* bytes) {
  return *offset = 0, *bytes = sizeof(Parameters), index == 0 ? success : invalid_value;
}
CALL cuLaunchKernel(Handle function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned threads_y,
                    unsigned threads_z, unsigned shared, Handle stream, void** parameters, void** extra) {
  LOCKED;
  if (Code code = state()) return code;
  if (!handles.count(function) || !is(stream, "*stream")) return invalid_handle;
  if (x * y * z != x || threads != 256 || threads_y * threads_z != 1 || shared || extra) return invalid_value;
  Parameters in;
  memcpy(&in, parameters[0], sizeof in);
  // As on a GPU, a fault of the kernel shows later.
  run(handles[function], in, x);
  return success;
}
CALL cuStreamCreate(Handle* stream, unsigned flags) {
  LOCKED;
  if (Code code = state()) return code;
  return flags == 1 ? (*stream = add("*stream"), success) : invalid_value;
}
CALL cuStreamDestroy_v2(Handle stream) { LOCKED; return destroy(stream, "*stream"); }
CALL cuStreamSynchronize(Handle stream) {
  LOCKED;
  if (Code code = state()) return code;
  return is(stream, "*stream") ? success : invalid_handle;
}
CALL cuStreamWaitEvent(Handle stream, Handle event, unsigned) {
  LOCKED;
  if (Code code = state()) return code;
  return is(stream, "*stream") && is(event, "*event") ? success : invalid_handle;
}
CALL cuEventCreate(Handle* event, unsigned flags) {
  LOCKED;
  if (Code code = state()) return code;
  return flags == 0 || flags == 2 ? (*event = add("*event"), success) : invalid_value;
}
CALL cuEventDestroy_v2(Handle event) { LOCKED; return destroy(event, "*event"); }
CALL cuEventRecord(Handle event, Handle stream) { return cuStreamWaitEvent(stream, event, 0); }
CALL cuEventSynchronize(Handle event) { LOCKED; return is(event, "*event") ? state() : invalid_handle; }
CALL cuEventElapsedTime(float* milliseconds, Handle start, Handle end) {
  LOCKED;
  return *milliseconds = 0.5F, is(start, "*event") && is(end, "*event") ? state() : invalid_handle;
}
CALL cuMemHostAlloc(void** start, size_t bytes, unsigned flags) {
  LOCKED;
  if (Code code = state()) return code;
  if (flags != 1 || bytes == 0) return invalid_value;
  if (bytes > memory_bytes) return out_of_memory;
  *start = malloc(bytes);
  return host_memory.insert(*start), success;
}
CALL cuMemFreeHost(void* start) {
  LOCKED;
  if (Code code = state()) return code;
  return host_memory.erase(start) ? (free(start), success) : invalid_value;
}
CALL cuMemGetInfo_v2(size_t* free, size_t* total) {
  LOCKED;
  return *free = memory_bytes - used, *total = memory_bytes, state();
}
CALL cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  LOCKED;
  if (Code code = state()) return code;
  if (bytes == 0) return invalid_value;
  if (used + bytes > memory_bytes) return out_of_memory;
  *address = reinterpret_cast<uint64_t>(aligned_alloc(256, (bytes + 255) / 256 * 256));
  return used += bytes, memory[*address] = bytes, success;
}
CALL cuMemFree_v2(uint64_t address) {
  LOCKED;
  if (Code code = state()) return code;
  const auto found = memory.find(address);
  if (found == memory.end()) return invalid_value;
  used -= found->second;
  memory.erase(found);
  return free(reinterpret_cast<void*>(address)), success;
}
struct PoolProperties {
  int allocation_type, handle_types, location_type, location;
  void* security;
  size_t most_bytes;
  unsigned short usage;
  unsigned char reserved[54];
};
static_assert(sizeof(PoolProperties) == 88, "as in cuda.h");
CALL cuMemPoolCreate(Handle* pool, const PoolProperties* properties) {
  LOCKED;
  if (Code code = state()) return code;
  PoolProperties expected{1, 0, 1, 0, nullptr, 0, 0, {}};
  if (memcmp(properties, &expected, sizeof expected) != 0) return invalid_value;
  return *pool = add("*pool"), success;
}
CALL cuMemPoolDestroy(Handle pool) { LOCKED; return destroy(pool, "*pool"); }
CALL cuMemAllocFromPoolAsync(uint64_t* address, size_t bytes, Handle pool, Handle stream) {
  LOCKED;
  if (Code code = cuStreamSynchronize(stream)) return code;
  return is(pool, "*pool") ? cuMemAlloc_v2(address, bytes) : invalid_handle;
}
CALL cuMemFreeAsync(uint64_t address, Handle stream) {
  LOCKED;
  if (Code code = cuStreamSynchronize(stream)) return code;
  return cuMemFree_v2(address);
}
CALL cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes, Handle stream) {
  LOCKED;
  if (Code code = cuStreamSynchronize(stream)) return code;
  return inside(to, bytes) ? (memcpy(reinterpret_cast<void*>(to), from, bytes), success) : invalid_value;
}
CALL cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, Handle stream) {
  LOCKED;
  if (Code code = cuStreamSynchronize(stream)) return code;
  return inside(from, bytes) ? (memcpy(to, reinterpret_cast<void*>(from), bytes), success) : invalid_value;
}
CALL cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, Handle stream) {
  LOCKED;
  return inside(to, bytes) ? cuMemcpyHtoDAsync_v2(to, reinterpret_cast<void*>(from), bytes, stream) : invalid_value;
}
CALL cuMemsetD8Async(uint64_t at, unsigned char value, size_t bytes, Handle stream) {
  LOCKED;
  if (Code code = cuStreamSynchronize(stream)) return code;
  return inside(at, bytes) ? (memset(reinterpret_cast<void*>(at), value, bytes), success) : invalid_value;
}
