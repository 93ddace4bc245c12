// cuBLAS's calls that Railyard makes: arguments are checked as cuBLAS checks them, and time
// passes; nothing is computed.
#include <chrono>
#include <thread>

#include "tests/hw/fake_nccl/faults.hpp"
#include "tests/hw/fake_nccl/stream.hpp"

namespace {

constexpr int kInvalidValue = 7;
constexpr int kTransposed = 1;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int cublasCreate_v2(void** handle) {
  if (const auto result = fake::fault("cublasCreate", 0)) return *result;
  *handle = new void*(nullptr);
  return 0;
}
int cublasDestroy_v2(void* handle) {
  delete static_cast<void**>(handle);
  return 0;
}
int cublasSetStream_v2(void* handle, void* stream) {
  *static_cast<void**>(handle) = stream;
  return 0;
}
const char* cublasGetStatusString(int status) {
  return status == kInvalidValue ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS_EXECUTION_FAILED";
}
// A product takes a microsecond per 10^9 operations.
int cublasGemmEx(void* handle, int a_form, int b_form, int m, int n, int k, const void*,
                 const void* a, int, int a_stride, const void* b, int, int b_stride, const void*,
                 void* c, int, int c_stride, int, int) {
  if (const auto result = fake::fault("cublasGemmEx", 0)) return *result;
  const bool fits = a_stride >= (a_form == kTransposed ? k : m) &&
                    b_stride >= (b_form == kTransposed ? n : k) && c_stride >= m;
  if (!fits || a == nullptr || b == nullptr || c == nullptr) return kInvalidValue;
  const double operations = 2.0 * m * n * k;
  static_cast<fake::Stream*>(*static_cast<void**>(handle))->add([operations] {
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<long>(operations / 1e6)));
  });
  return 0;
}

}  // extern "C"
#pragma GCC visibility pop
