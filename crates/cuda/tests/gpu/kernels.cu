// Kernels for tests of the machine; driver.cpp does the same on the host.

struct Parameters {
  unsigned long long from, to;
  double factor;
};

// to[i] = from[255 - i] factor + factor, for 256 numbers a block.
extern "C" __global__ void __launch_bounds__(256) reverse(const Parameters in) {
  __shared__ double tile[256];
  const unsigned first = blockIdx.x * 256;
  tile[threadIdx.x] = reinterpret_cast<const double*>(in.from)[first + threadIdx.x];
  __syncthreads();
  reinterpret_cast<double*>(in.to)[first + threadIdx.x] = tile[255 - threadIdx.x] * in.factor + in.factor;
}

// The same, a millisecond or so later.
extern "C" __global__ void __launch_bounds__(256) slow(const Parameters in) {
  const long long start = clock64();
  while (clock64() - start < 2000000) {
  }
  reinterpret_cast<double*>(in.to)[blockIdx.x * 256 + threadIdx.x] =
      reinterpret_cast<const double*>(in.from)[blockIdx.x * 256 + 255 - threadIdx.x] * in.factor + in.factor;
}

// Writes where nothing is.
extern "C" __global__ void __launch_bounds__(256) faulty(const Parameters in) {
  *reinterpret_cast<volatile double*>(8) = in.factor;
}
