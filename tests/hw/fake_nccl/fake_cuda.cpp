// The CUDA runtime, driver and NVRTC calls that Railyard makes, on host memory and threads.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/hw/fake_nccl/faults.hpp"
#include "tests/hw/fake_nccl/kernels.hpp"
#include "tests/hw/fake_nccl/stream.hpp"

namespace {

using Clock = std::chrono::steady_clock;

struct Event {
  Clock::time_point at;
};
struct Graph {
  std::vector<fake::Stream::Work> works;
};
struct Program {
  std::string source;
};

/// A function of a module: one of the two.
struct Function {
  fake::HostKernel reduce = nullptr;
  fake::HostAverage average = nullptr;
};

/// The function of a name, for as long as the process lives; nullptr where there is none.
const Function* function_named(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, Function> functions;
  const std::lock_guard lock(mutex);
  const Function found{fake::host_kernel(name), fake::host_average(name)};
  if (found.reduce == nullptr && found.average == nullptr) return nullptr;
  return &functions.emplace(name, found).first->second;
}

thread_local int device = 0;
constexpr int kInvalidDevice = 101;
constexpr int kNotReady = 600;
constexpr int kOutOfMemory = 2;

fake::Stream& stream_of(void* stream) { return *static_cast<fake::Stream*>(stream); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

const char* cudaGetErrorString(int error) {
  switch (error) {
    case 0: return "no error";
    case kOutOfMemory: return "out of memory";
    case 35: return "CUDA driver version is insufficient for CUDA runtime version";
    case 100: return "no CUDA-capable device is detected";
    case kInvalidDevice: return "invalid device ordinal";
    case 700: return "an illegal memory access was encountered";
    default: return "unknown error";
  }
}
int cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cudaGetDeviceCount(int* count) {
  if (const int error = fake::number("FAKE_CUDA_ERROR", 0); error != 0) return error;
  *count = fake::number("FAKE_GPUS", 4);
  return 0;
}
int cudaSetDevice(int wanted) {
  if (const auto result = fake::fault("cudaSetDevice", wanted)) return *result;
  if (wanted < 0 || wanted >= fake::number("FAKE_GPUS", 4)) return kInvalidDevice;
  device = wanted;
  return 0;
}
int cudaDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 9 : 0;
  return 0;
}
int cudaDeviceGetPCIBusId(char* text, int length, int wanted) {
  const std::string address = "0000:" + std::to_string(10 + wanted) + ":00.0";
  std::strncpy(text, address.c_str(), static_cast<std::size_t>(length));
  return 0;
}
int cudaMalloc(void** memory, std::size_t bytes) {
  if (const auto result = fake::fault("cudaMalloc", device)) return *result;
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  return *memory == nullptr ? kOutOfMemory : 0;
}
int cudaFree(void* memory) {
  std::free(memory);
  return 0;
}
int cudaMallocHost(void** memory, std::size_t bytes) { return cudaMalloc(memory, bytes); }
int cudaFreeHost(void* memory) { return cudaFree(memory); }
int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, int, void* stream) {
  if (const auto result = fake::fault("cudaMemcpyAsync", device)) return *result;
  stream_of(stream).add([=] { std::memmove(to, from, bytes); });
  return 0;
}
int cudaMemsetAsync(void* to, int value, std::size_t bytes, void* stream) {
  stream_of(stream).add([=] { std::memset(to, value, bytes); });
  return 0;
}
int cudaStreamCreateWithFlags(void** stream, unsigned) {
  *stream = new fake::Stream;
  return 0;
}
int cudaStreamDestroy(void* stream) {
  delete &stream_of(stream);
  return 0;
}
int cudaStreamQuery(void* stream) { return stream_of(stream).is_dry() ? 0 : kNotReady; }
int cudaEventCreate(void** event) {
  *event = new Event;
  return 0;
}
int cudaEventDestroy(void* event) {
  delete static_cast<Event*>(event);
  return 0;
}
int cudaEventRecord(void* event, void* stream) {
  stream_of(stream).add([event] { static_cast<Event*>(event)->at = Clock::now(); });
  return 0;
}
int cudaEventElapsedTime(float* milliseconds, void* begin, void* end) {
  const std::chrono::duration<float, std::milli> elapsed =
      static_cast<Event*>(end)->at - static_cast<Event*>(begin)->at;
  *milliseconds = elapsed.count();
  return 0;
}
int cudaStreamBeginCapture(void* stream, int) {
  stream_of(stream).begin_capture();
  return 0;
}
int cudaStreamEndCapture(void* stream, void** graph) {
  *graph = new Graph{stream_of(stream).end_capture()};
  return 0;
}
int cudaGraphInstantiateWithFlags(void** executable, void* graph, unsigned long long) {
  *executable = new Graph(*static_cast<Graph*>(graph));
  return 0;
}
int cudaGraphLaunch(void* executable, void* stream) {
  for (const auto& work : static_cast<Graph*>(executable)->works) stream_of(stream).add(work);
  return 0;
}
int cudaGraphExecDestroy(void* executable) {
  delete static_cast<Graph*>(executable);
  return 0;
}
int cudaGraphDestroy(void* graph) {
  delete static_cast<Graph*>(graph);
  return 0;
}

int cuModuleLoadData(void** module, const void* image) {
  if (std::strncmp(static_cast<const char*>(image), "fake binary", 11) != 0) return 200;
  *module = new int(0);
  return 0;
}
int cuModuleUnload(void* module) {
  delete static_cast<int*>(module);
  return 0;
}
int cuModuleGetFunction(void** kernel, void*, const char* name) {
  *kernel = const_cast<Function*>(function_named(name));
  return *kernel == nullptr ? 500 : 0;
}
int cuLaunchKernel(void* kernel, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, void* stream, void** arguments, void**) {
  const Function run = *static_cast<const Function*>(kernel);
  char* into = *static_cast<char**>(arguments[0]);
  const auto count = *static_cast<unsigned long long*>(arguments[2]);
  if (run.average != nullptr) {
    const auto by = *static_cast<unsigned long long*>(arguments[1]);
    stream_of(stream).add([=] { run.average(into, by, count); });
  } else {
    const char* from = *static_cast<const char**>(arguments[1]);
    const bool corrupt = count > 0 && fake::due("corrupt", "kernel", device);
    stream_of(stream).add([=] {
      run.reduce(into, from, count);
      if (corrupt) into[0] = static_cast<char>(into[0] ^ 1);
    });
  }
  return 0;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == 500 ? "named symbol not found" : "device kernel image is invalid";
  return 0;
}

int nvrtcCreateProgram(void** program, const char* source, const char*, int, const char* const*,
                       const char* const*) {
  *program = new Program{source};
  return 0;
}
int nvrtcDestroyProgram(void** program) {
  delete static_cast<Program*>(*program);
  return 0;
}
int nvrtcCompileProgram(void* program, int, const char* const*) {
  if (const auto result = fake::fault("nvrtcCompileProgram", device)) return *result;
  return static_cast<Program*>(program)->source.find("RAILYARD_KERNEL") == std::string::npos ? 6
                                                                                             : 0;
}
int nvrtcGetCUBINSize(void*, std::size_t* size) {
  *size = 12;
  return 0;
}
int nvrtcGetCUBIN(void*, char* binary) {
  std::memcpy(binary, "fake binary", 12);
  return 0;
}
int nvrtcGetProgramLogSize(void*, std::size_t* size) {
  *size = 9;
  return 0;
}
int nvrtcGetProgramLog(void*, char* log) {
  std::memcpy(log, "fake log", 9);
  return 0;
}
const char* nvrtcGetErrorString(int) { return "NVRTC_ERROR_COMPILATION"; }

}  // extern "C"
#pragma GCC visibility pop
