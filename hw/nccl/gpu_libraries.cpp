#include "hw/nccl/gpu_libraries.hpp"

#include <fmt/format.h>

#include <array>

#include "core/diagnostic.hpp"
#include "hw/shared_library.hpp"

namespace railyard::hw::nccl {
namespace {

constexpr std::array kNcclNames{"libnccl.so.2"};
constexpr std::array kRuntimeNames{"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
constexpr std::array kDriverNames{"libcuda.so.1"};
constexpr std::array kMatrixNames{"libcublas.so.13", "libcublas.so.12", "libcublas.so.11"};
constexpr std::array kCompilerNames{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};

constexpr LibraryNames kNccl{
    kNcclNames, "install NCCL (package libnccl2), or name its folder with --libraries"};
constexpr LibraryNames kRuntime{
    kRuntimeNames,
    "install the CUDA runtime (package cuda-cudart), or name its folder with --libraries"};
constexpr LibraryNames kDriver{kDriverNames, "install the NVIDIA driver"};
constexpr LibraryNames kMatrix{
    kMatrixNames, "install cuBLAS (package libcublas), or name its folder with --libraries"};
constexpr LibraryNames kCompiler{kCompilerNames,
                                 "a schedule that reduces needs NVRTC (package cuda-nvrtc), or "
                                 "name its folder with --libraries; "
                                 "--algorithm native needs none"};

NcclFunctions load_nccl(const SharedLibrary& library) {
  NcclFunctions f;
  library.find(f.get_version, "ncclGetVersion");
  library.find(f.get_error_string, "ncclGetErrorString");
  library.find(f.get_unique_id, "ncclGetUniqueId");
  library.find(f.comm_init_rank, "ncclCommInitRank");
  library.find(f.comm_destroy, "ncclCommDestroy");
  library.find(f.comm_abort, "ncclCommAbort");
  library.find(f.comm_get_async_error, "ncclCommGetAsyncError");
  library.find(f.group_start, "ncclGroupStart");
  library.find(f.group_end, "ncclGroupEnd");
  library.find(f.send, "ncclSend");
  library.find(f.recv, "ncclRecv");
  library.find(f.all_reduce, "ncclAllReduce");
  library.find(f.all_gather, "ncclAllGather");
  library.find(f.reduce_scatter, "ncclReduceScatter");
  library.find(f.broadcast, "ncclBroadcast");
  library.find(f.reduce, "ncclReduce");
  library.find(f.all_to_all, "ncclAlltoAll", false);
  library.find(f.comm_register, "ncclCommRegister", false);
  library.find(f.comm_deregister, "ncclCommDeregister", false);
  library.find(f.mem_alloc, "ncclMemAlloc", false);
  library.find(f.mem_free, "ncclMemFree", false);
  library.find(f.get_last_error, "ncclGetLastError", false);
  library.find(f.comm_init_all, "ncclCommInitAll", false);
  return f;
}

CudaFunctions load_cuda(const SharedLibrary& library) {
  CudaFunctions f;
  library.find(f.get_error_string, "cudaGetErrorString");
  library.find(f.runtime_get_version, "cudaRuntimeGetVersion");
  library.find(f.get_device_count, "cudaGetDeviceCount");
  library.find(f.set_device, "cudaSetDevice");
  library.find(f.device_get_attribute, "cudaDeviceGetAttribute");
  library.find(f.device_get_pci_bus_id, "cudaDeviceGetPCIBusId");
  library.find(f.malloc, "cudaMalloc");
  library.find(f.free, "cudaFree");
  library.find(f.memcpy_async, "cudaMemcpyAsync");
  library.find(f.memset_async, "cudaMemsetAsync");
  library.find(f.stream_create, "cudaStreamCreateWithFlags");
  library.find(f.stream_destroy, "cudaStreamDestroy");
  library.find(f.stream_query, "cudaStreamQuery");
  library.find(f.event_create, "cudaEventCreate");
  library.find(f.event_destroy, "cudaEventDestroy");
  library.find(f.event_record, "cudaEventRecord");
  library.find(f.event_elapsed_time, "cudaEventElapsedTime");
  library.find(f.begin_capture, "cudaStreamBeginCapture");
  library.find(f.end_capture, "cudaStreamEndCapture");
  library.find(f.graph_instantiate, "cudaGraphInstantiateWithFlags");
  library.find(f.graph_launch, "cudaGraphLaunch");
  library.find(f.graph_exec_destroy, "cudaGraphExecDestroy");
  library.find(f.graph_destroy, "cudaGraphDestroy");
  library.find(f.malloc_host, "cudaMallocHost");
  library.find(f.free_host, "cudaFreeHost");
  return f;
}

}  // namespace

GpuLibraries::GpuLibraries(std::string folder)
    : folder_(std::move(folder)),
      nccl_(load_nccl(SharedLibrary(kNccl, folder_))),
      cuda_(load_cuda(SharedLibrary(kRuntime, folder_))) {
  if (const int result = nccl_.get_version(&version_); result != kNcclSuccess) {
    throw BackendError(fmt::format("ncclGetVersion: {}", nccl_.get_error_string(result)));
  }
}

GpuLibraries::~GpuLibraries() = default;

int GpuLibraries::device_count() const {
  int count = 0;
  if (const int result = cuda_.get_device_count(&count); result != kCudaSuccess) {
    throw BackendError(
        fmt::format("cudaGetDeviceCount: {} ({})", cuda_.get_error_string(result), result));
  }
  return count;
}

KernelFunctions GpuLibraries::kernels() const {
  const SharedLibrary driver(kDriver, folder_);
  KernelFunctions f;
  driver.find(f.module_load, "cuModuleLoadData");
  driver.find(f.module_unload, "cuModuleUnload");
  driver.find(f.module_get_function, "cuModuleGetFunction");
  driver.find(f.launch, "cuLaunchKernel");
  driver.find(f.driver_error_string, "cuGetErrorString");
  return f;
}

MatrixFunctions load_matrix_library(const std::string& folder) {
  const SharedLibrary library(kMatrix, folder);
  MatrixFunctions f;
  library.find(f.create, "cublasCreate_v2");
  library.find(f.destroy, "cublasDestroy_v2");
  library.find(f.set_stream, "cublasSetStream_v2");
  library.find(f.status_string, "cublasGetStatusString");
  library.find(f.product, "cublasGemmEx");
  return f;
}

CompilerFunctions load_compiler(const std::string& folder) {
  const SharedLibrary compiler(kCompiler, folder);
  CompilerFunctions f;
  compiler.find(f.create_source, "nvrtcCreateProgram");
  compiler.find(f.destroy_source, "nvrtcDestroyProgram");
  compiler.find(f.compile, "nvrtcCompileProgram");
  compiler.find(f.binary_size, "nvrtcGetCUBINSize");
  compiler.find(f.binary, "nvrtcGetCUBIN");
  compiler.find(f.log_size, "nvrtcGetProgramLogSize");
  compiler.find(f.log, "nvrtcGetProgramLog");
  compiler.find(f.compiler_error_string, "nvrtcGetErrorString");
  return f;
}

std::string nccl_version_text(int version) {
  // NCCL_VERSION in nccl.h: two digits for the patch version, and from 2.9 on two for the minor
  // version.
  if (version < 10000)
    return fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100);
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

}  // namespace railyard::hw::nccl
