#pragma once

#include <climits>
#include <cstddef>

/// The parts of NCCL's and CUDA's C interfaces that Railyard uses, declared here so that it builds
/// without either. Sources: nccl.h (2.28.9), cuda_runtime_api.h, cuda.h and nvrtc.h (13.0). If
/// nccl.h exists at build time, nccl_header_check.cpp compares them.
namespace railyard::hw::nccl {

/// ncclUniqueId: passed by value.
struct UniqueId {
  char bytes[128];
};

using Comm = struct CommOpaque*;            ///< ncclComm_t
using Stream = struct StreamOpaque*;        ///< cudaStream_t
using Event = struct EventOpaque*;          ///< cudaEvent_t
using Graph = struct GraphOpaque*;          ///< cudaGraph_t
using GraphExec = struct GraphExecOpaque*;  ///< cudaGraphExec_t
using Module = struct ModuleOpaque*;        ///< CUmodule
using Kernel = struct KernelOpaque*;        ///< CUfunction
using Source = struct SourceOpaque*;        ///< nvrtcProgram

/// ncclResult_t; values above are errors of newer versions.
enum NcclResult : int { kNcclSuccess = 0, kNcclInProgress = 7 };
/// ncclDataType_t and ncclRedOp_t.
enum NcclType : int {
  kNcclInt8 = 0,
  kNcclUint8 = 1,
  kNcclInt32 = 2,
  kNcclUint32 = 3,
  kNcclInt64 = 4,
  kNcclUint64 = 5,
  kNcclFloat16 = 6,
  kNcclFloat32 = 7,
  kNcclFloat64 = 8,
  kNcclBfloat16 = 9,
  kNcclFloat8e4m3 = 10,
  kNcclFloat8e5m2 = 11
};
enum NcclOp : int { kNcclSum = 0, kNcclProd = 1, kNcclMax = 2, kNcclMin = 3, kNcclAvg = 4 };

/// The first version with ncclAlltoAll (release notes of 2.28), and the first NCCL that supports
/// several ranks on one GPU (environment documentation of 2.30, NCCL_MULTI_RANK_GPU_ENABLE);
/// numbers as of ncclGetVersion.
inline constexpr int kAllToAllVersion = 22800;
inline constexpr int kSharedGpuVersion = 23000;

/// libnccl.so.2. The last seven may be null: not every version has them.
struct NcclFunctions {
  int (*get_version)(int*) = nullptr;
  const char* (*get_error_string)(int) = nullptr;
  int (*get_unique_id)(UniqueId*) = nullptr;
  int (*comm_init_rank)(Comm*, int, UniqueId, int) = nullptr;
  int (*comm_destroy)(Comm) = nullptr;
  int (*comm_abort)(Comm) = nullptr;
  int (*comm_get_async_error)(Comm, int*) = nullptr;
  int (*group_start)() = nullptr;
  int (*group_end)() = nullptr;
  int (*send)(const void*, std::size_t, int, int, Comm, Stream) = nullptr;
  int (*recv)(void*, std::size_t, int, int, Comm, Stream) = nullptr;
  int (*all_reduce)(const void*, void*, std::size_t, int, int, Comm, Stream) = nullptr;
  int (*all_gather)(const void*, void*, std::size_t, int, Comm, Stream) = nullptr;
  int (*reduce_scatter)(const void*, void*, std::size_t, int, int, Comm, Stream) = nullptr;
  int (*broadcast)(const void*, void*, std::size_t, int, int, Comm, Stream) = nullptr;
  int (*reduce)(const void*, void*, std::size_t, int, int, int, Comm, Stream) = nullptr;
  int (*all_to_all)(const void*, void*, std::size_t, int, Comm, Stream) = nullptr;
  int (*comm_register)(Comm, void*, std::size_t, void**) = nullptr;
  int (*comm_deregister)(Comm, void*) = nullptr;
  int (*mem_alloc)(void**, std::size_t) = nullptr;
  int (*mem_free)(void*) = nullptr;
  const char* (*get_last_error)(Comm) = nullptr;
  int (*comm_init_all)(Comm*, int, const int*) = nullptr;
};

/// Values of cudaError_t that Railyard distinguishes.
enum CudaResult : int { kCudaSuccess = 0, kCudaNotReady = 600 };
/// cudaDeviceAttr.
enum CudaAttribute : int { kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76 };
/// Flags of streams and events, mode of capture, direction of copies.
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr int kCaptureThreadLocal = 1;
inline constexpr int kCopyDefault = 4;

/// libcudart.so.N.
struct CudaFunctions {
  const char* (*get_error_string)(int) = nullptr;
  int (*runtime_get_version)(int*) = nullptr;
  int (*get_device_count)(int*) = nullptr;
  int (*set_device)(int) = nullptr;
  int (*device_get_attribute)(int*, int, int) = nullptr;
  int (*device_get_pci_bus_id)(char*, int, int) = nullptr;
  int (*malloc)(void**, std::size_t) = nullptr;
  int (*free)(void*) = nullptr;
  int (*memcpy_async)(void*, const void*, std::size_t, int, Stream) = nullptr;
  int (*memset_async)(void*, int, std::size_t, Stream) = nullptr;
  int (*stream_create)(Stream*, unsigned) = nullptr;
  int (*stream_destroy)(Stream) = nullptr;
  int (*stream_query)(Stream) = nullptr;
  int (*event_create)(Event*) = nullptr;
  int (*event_destroy)(Event) = nullptr;
  int (*event_record)(Event, Stream) = nullptr;
  int (*event_elapsed_time)(float*, Event, Event) = nullptr;
  int (*begin_capture)(Stream, int) = nullptr;
  int (*end_capture)(Stream, Graph*) = nullptr;
  int (*graph_instantiate)(GraphExec*, Graph, unsigned long long) = nullptr;
  int (*graph_launch)(GraphExec, Stream) = nullptr;
  int (*graph_exec_destroy)(GraphExec) = nullptr;
  int (*graph_destroy)(Graph) = nullptr;
  int (*malloc_host)(void**, std::size_t) = nullptr;
  int (*free_host)(void*) = nullptr;
};

/// libcuda.so.1 (the driver's library): used only if a schedule reduces.
struct KernelFunctions {
  int (*module_load)(Module*, const void*) = nullptr;
  int (*module_unload)(Module) = nullptr;
  int (*module_get_function)(Kernel*, Module, const char*) = nullptr;
  int (*launch)(Kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                Stream, void**, void**) = nullptr;
  int (*driver_error_string)(int, const char**) = nullptr;
};

/// libnvrtc.so.N.
struct CompilerFunctions {
  int (*create_source)(Source*, const char*, const char*, int, const char* const*,
                       const char* const*) = nullptr;
  int (*destroy_source)(Source*) = nullptr;
  int (*compile)(Source, int, const char* const*) = nullptr;
  int (*binary_size)(Source, std::size_t*) = nullptr;
  int (*binary)(Source, char*) = nullptr;
  int (*log_size)(Source, std::size_t*) = nullptr;
  int (*log)(Source, char*) = nullptr;
  const char* (*compiler_error_string)(int) = nullptr;
};

using MatrixHandle = struct MatrixHandleOpaque*;  ///< cublasHandle_t
/// Values of cudaDataType, cublasComputeType_t and cublasOperation_t (library_types.h, cublas_api.h
/// of CUDA 13.0).
enum MatrixType : int { kMatrixFloat32 = 0, kMatrixFloat16 = 2, kMatrixBfloat16 = 14 };
enum MatrixCompute : int { kComputeFloat32 = 68, kComputeTf32 = 77 };
inline constexpr int kNotTransposed = 0;
inline constexpr int kTransposed = 1;
inline constexpr int kDefaultAlgorithm = -1;

/// libcublas.so.N: matrix products.
struct MatrixFunctions {
  int (*create)(MatrixHandle*) = nullptr;
  int (*destroy)(MatrixHandle) = nullptr;
  int (*set_stream)(MatrixHandle, Stream) = nullptr;
  const char* (*status_string)(int) = nullptr;
  int (*product)(MatrixHandle, int, int, int, int, int, const void*, const void*, int, int,
                 const void*, int, int, const void*, void*, int, int, int, int) = nullptr;
};

}  // namespace railyard::hw::nccl
