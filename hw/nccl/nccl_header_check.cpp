// Compares the declarations in gpu_functions.hpp with NCCL's own header, if it exists.
#if __has_include(<nccl.h>) && __has_include(<cuda_runtime.h>)

#include <nccl.h>

#include <type_traits>

#include "hw/nccl/gpu_functions.hpp"

namespace railyard::hw::nccl {
namespace {

static_assert(sizeof(UniqueId) == sizeof(ncclUniqueId));
static_assert(static_cast<int>(kNcclSuccess) == static_cast<int>(ncclSuccess));
static_assert(static_cast<int>(kNcclInProgress) == static_cast<int>(ncclInProgress));
static_assert(static_cast<int>(kNcclInt8) == static_cast<int>(ncclInt8));
static_assert(static_cast<int>(kNcclUint8) == static_cast<int>(ncclUint8));
static_assert(static_cast<int>(kNcclInt32) == static_cast<int>(ncclInt32));
static_assert(static_cast<int>(kNcclUint32) == static_cast<int>(ncclUint32));
static_assert(static_cast<int>(kNcclInt64) == static_cast<int>(ncclInt64));
static_assert(static_cast<int>(kNcclUint64) == static_cast<int>(ncclUint64));
static_assert(static_cast<int>(kNcclFloat16) == static_cast<int>(ncclFloat16));
static_assert(static_cast<int>(kNcclFloat32) == static_cast<int>(ncclFloat32));
static_assert(static_cast<int>(kNcclFloat64) == static_cast<int>(ncclFloat64));
static_assert(static_cast<int>(kNcclBfloat16) == static_cast<int>(ncclBfloat16));
static_assert(static_cast<int>(kNcclFloat8e4m3) == static_cast<int>(ncclFloat8e4m3));
static_assert(static_cast<int>(kNcclFloat8e5m2) == static_cast<int>(ncclFloat8e5m2));
static_assert(static_cast<int>(kNcclSum) == static_cast<int>(ncclSum));
static_assert(static_cast<int>(kNcclProd) == static_cast<int>(ncclProd));
static_assert(static_cast<int>(kNcclMax) == static_cast<int>(ncclMax));
static_assert(static_cast<int>(kNcclMin) == static_cast<int>(ncclMin));
static_assert(static_cast<int>(kNcclAvg) == static_cast<int>(ncclAvg));
static_assert(static_cast<int>(kCudaNotReady) == static_cast<int>(cudaErrorNotReady));
static_assert(static_cast<int>(kComputeCapabilityMajor) ==
              static_cast<int>(cudaDevAttrComputeCapabilityMajor));
static_assert(static_cast<int>(kComputeCapabilityMinor) ==
              static_cast<int>(cudaDevAttrComputeCapabilityMinor));
static_assert(kStreamNonBlocking == cudaStreamNonBlocking);
static_assert(kCaptureThreadLocal == static_cast<int>(cudaStreamCaptureModeThreadLocal));
static_assert(kCopyDefault == static_cast<int>(cudaMemcpyDefault));

}  // namespace
}  // namespace railyard::hw::nccl

#endif
