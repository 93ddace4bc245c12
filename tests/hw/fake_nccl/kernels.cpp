#include "tests/hw/fake_nccl/kernels.hpp"

#include <bit>
#include <cstring>
#include <map>

// The text that GPUs are given, for one thread of the host.
#define RAILYARD_HOST
#define RAILYARD_KERNEL static void
#define RAILYARD_DEVICE inline

namespace {

inline unsigned long long first_index() { return 0; }
inline unsigned long long index_stride() { return 1; }
inline float float_of_bits(unsigned int bits) { return std::bit_cast<float>(bits); }
inline unsigned int bits_of_float(float value) { return std::bit_cast<unsigned int>(value); }
struct Half;
inline float widened(Half value);
inline void narrow(float wide, Half& value);

#include "hw/nccl/reduction_kernel.cu"

inline float widened(Half value) { return static_cast<float>(std::bit_cast<_Float16>(value.bits)); }
inline void narrow(float wide, Half& value) {
  value.bits = std::bit_cast<unsigned short>(static_cast<_Float16>(wide));
}

}  // namespace

namespace fake {

HostKernel host_kernel(const std::string& name) {
#define FAKE_KERNELS(type)                                                                \
  {"sum_" #type, sum_##type}, {"prod_" #type, prod_##type}, {"min_" #type, min_##type}, { \
    "max_" #type, max_##type                                                              \
  }
  static const std::map<std::string, HostKernel> kernels{
      FAKE_KERNELS(int8),     FAKE_KERNELS(int32),   FAKE_KERNELS(int64),  FAKE_KERNELS(float16),
      FAKE_KERNELS(bfloat16), FAKE_KERNELS(float32), FAKE_KERNELS(float64)};
  const auto found = kernels.find(name);
  return found == kernels.end() ? nullptr : found->second;
}

}  // namespace fake
