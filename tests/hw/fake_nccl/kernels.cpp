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

#ifdef __clang__
using HostHalf = __fp16;  // Clang 14 does not support _Float16 on x86
#else
using HostHalf = _Float16;
#endif

inline float widened(Half value) {
  HostHalf half;
  std::memcpy(&half, &value.bits, sizeof half);
  return static_cast<float>(half);
}
inline void narrow(float wide, Half& value) {
  const auto half = static_cast<HostHalf>(wide);
  std::memcpy(&value.bits, &half, sizeof half);
}

}  // namespace

namespace fake {

HostKernel host_kernel(const std::string& name) {
#define FAKE_KERNELS(type)                                                              \
  {"sum_" #type, sum_##type}, {"prod_" #type, prod_##type}, {"min_" #type, min_##type}, \
      {"max_" #type, max_##type}, {                                                     \
    "avg_" #type, avg_##type                                                            \
  }
  static const std::map<std::string, HostKernel> kernels{
      FAKE_KERNELS(int8),        FAKE_KERNELS(uint8),       FAKE_KERNELS(int32),
      FAKE_KERNELS(uint32),      FAKE_KERNELS(int64),       FAKE_KERNELS(uint64),
      FAKE_KERNELS(float8_e4m3), FAKE_KERNELS(float8_e5m2), FAKE_KERNELS(float16),
      FAKE_KERNELS(bfloat16),    FAKE_KERNELS(float32),     FAKE_KERNELS(float64)};
  const auto found = kernels.find(name);
  return found == kernels.end() ? nullptr : found->second;
}

HostAverage host_average(const std::string& name) {
#define FAKE_AVERAGE(type) \
  { "average_" #type, average_##type }
  static const std::map<std::string, HostAverage> kernels{
      FAKE_AVERAGE(int8),        FAKE_AVERAGE(uint8),       FAKE_AVERAGE(int32),
      FAKE_AVERAGE(uint32),      FAKE_AVERAGE(int64),       FAKE_AVERAGE(uint64),
      FAKE_AVERAGE(float8_e4m3), FAKE_AVERAGE(float8_e5m2), FAKE_AVERAGE(float16),
      FAKE_AVERAGE(bfloat16),    FAKE_AVERAGE(float32),     FAKE_AVERAGE(float64)};
  const auto found = kernels.find(name);
  return found == kernels.end() ? nullptr : found->second;
}

namespace {

template <class T>
void scale_floats(char* at, unsigned long long count, int ranks) {
  T* values = reinterpret_cast<T*>(at);
  const T part = static_cast<T>(1) / static_cast<T>(ranks);
  for (unsigned long long i = 0; i < count; ++i) values[i] *= part;
}

template <class T>
void scale_narrow(char* at, unsigned long long count, int ranks) {
  T* values = reinterpret_cast<T*>(at);
  T part;
  narrow(1.0F / static_cast<float>(ranks), part);
  for (unsigned long long i = 0; i < count; ++i)
    narrow(widened(values[i]) * widened(part), values[i]);
}

}  // namespace

void scale_before_sum(char* at, unsigned long long count, int type, int ranks) {
  switch (type) {  // ncclFloat16, ncclFloat32, ncclFloat64, ncclBfloat16, ncclFloat8e4m3,
                   // ncclFloat8e5m2
    case 6: scale_narrow<Half>(at, count, ranks); break;
    case 7: scale_floats<float>(at, count, ranks); break;
    case 8: scale_floats<double>(at, count, ranks); break;
    case 9: scale_narrow<BFloat>(at, count, ranks); break;
    case 10: scale_narrow<E4M3>(at, count, ranks); break;
    case 11: scale_narrow<E5M2>(at, count, ranks); break;
    default: break;
  }
}

}  // namespace fake
