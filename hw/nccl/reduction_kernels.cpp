#include "hw/nccl/reduction_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "core/diagnostic.hpp"

namespace railyard::hw::nccl {
namespace {

/// Threads per block: a multiple of the warp size, supported by every GPU (CUDA C++ Programming
/// Guide, compute capabilities). Blocks: enough to fill the largest GPU (B200: 148 SMs with 2048
/// threads).
constexpr unsigned kThreads = 256;
constexpr std::uint64_t kMostBlocks = 1184;
/// Bytes per load and store of a thread.
constexpr std::uint64_t kPack = 16;

std::string log_of(const CompilerFunctions& functions, Source source) {
  std::size_t size = 0;
  if (functions.log_size(source, &size) != 0 || size <= 1) return "no log";
  std::string log(size, '\0');
  if (functions.log(source, log.data()) != 0) return "no log";
  log.resize(size - 1);
  return log;
}

/// The macro that instantiates a kernel: "RAILYARD_REDUCTION(sum, Sum, float32, float)".
std::string instance_of(const KernelChoice& choice) {
  using collectives::DataType;
  using collectives::ReduceOp;
  constexpr std::array<std::pair<DataType, std::string_view>, 12> kTypes{
      {{DataType::int8, "signed char"},
       {DataType::uint8, "unsigned char"},
       {DataType::int32, "int"},
       {DataType::uint32, "unsigned int"},
       {DataType::int64, "long long"},
       {DataType::uint64, "unsigned long long"},
       {DataType::float8_e4m3, "E4M3"},
       {DataType::float8_e5m2, "E5M2"},
       {DataType::float16, "Half"},
       {DataType::bfloat16, "BFloat"},
       {DataType::float32, "float"},
       {DataType::float64, "double"}}};
  constexpr std::array<std::pair<ReduceOp, std::string_view>, 5> kOps{{{ReduceOp::sum, "Sum"},
                                                                       {ReduceOp::prod, "Prod"},
                                                                       {ReduceOp::min, "Min"},
                                                                       {ReduceOp::max, "Max"},
                                                                       {ReduceOp::avg, "Sum"}}};
  const auto named = [](const auto& table, auto key) {
    return std::ranges::find(table, key, [](const auto& entry) { return entry.first; })->second;
  };
  const std::string_view type = named(kTypes, choice.type);
  std::string reduction = fmt::format("RAILYARD_REDUCTION({}, {}, {}, {})", to_text(choice.op),
                                      named(kOps, choice.op), to_text(choice.type), type);
  if (choice.op != ReduceOp::avg) return reduction;
  return fmt::format("{} RAILYARD_AVERAGE({}, {})", reduction, to_text(choice.type), type);
}

/// Number of blocks that have work.
unsigned blocks_for(std::uint64_t bytes) {
  const std::uint64_t packs = (bytes + kPack - 1) / kPack;
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>((packs + kThreads - 1) / kThreads, 1, kMostBlocks));
}

}  // namespace

std::string kernel_name(collectives::DataType type, collectives::ReduceOp op) {
  return fmt::format("{}_{}", to_text(op), to_text(type));
}

std::string average_kernel_name(collectives::DataType type) {
  return fmt::format("average_{}", to_text(type));
}

std::string compile_kernels(const CompilerFunctions& functions, int compute_capability,
                            std::optional<KernelChoice> only) {
  const auto check = [&](const char* name, int result) {
    if (result != 0)
      throw BackendError(fmt::format("{}: {}", name, functions.compiler_error_string(result)));
  };
  const std::string text(kReductionKernelSource);
  Source source = nullptr;
  check("nvrtcCreateProgram",
        functions.create_source(&source, text.c_str(), "reduction_kernel.cu", 0, nullptr, nullptr));
  const std::string architecture = fmt::format("--gpu-architecture=sm_{}", compute_capability);
  const std::string wanted = only ? "-DRAILYARD_ONLY=" + instance_of(*only) : std::string();
  std::vector<const char*> options{architecture.c_str(), "--std=c++17"};
  if (only) options.push_back(wanted.c_str());
  if (const int result =
          functions.compile(source, static_cast<int>(options.size()), options.data());
      result != 0) {
    throw BackendError(fmt::format("nvrtcCompileProgram for {}: {}: {}", architecture,
                                   functions.compiler_error_string(result),
                                   log_of(functions, source)));
  }
  std::size_t size = 0;
  check("nvrtcGetCUBINSize", functions.binary_size(source, &size));
  std::string binary(size, '\0');
  check("nvrtcGetCUBIN", functions.binary(source, binary.data()));
  check("nvrtcDestroyProgram", functions.destroy_source(&source));
  return binary;
}

std::string kernel_file_name(int compute_capability) {
  return fmt::format("reduction_kernels_sm_{}.cubin", compute_capability);
}

std::string kernel_binary(const std::string& folder, int compute_capability,
                          std::optional<KernelChoice> only) {
  if (!folder.empty()) {
    std::ifstream file(std::filesystem::path(folder) / kernel_file_name(compute_capability),
                       std::ios::binary);
    std::string binary(std::istreambuf_iterator<char>(file), {});
    if (file.is_open() && !binary.empty()) return binary;
  }
  return compile_kernels(load_compiler(folder), compute_capability, only);
}

void check_driver(const GpuCalls& calls, const KernelFunctions& functions, const char* name,
                  int result) {
  if (result == 0) return;
  const char* text = nullptr;
  (void)functions.driver_error_string(result, &text);
  calls.failed(name, fmt::format("{} ({})", text == nullptr ? "unknown error" : text, result));
}

ReductionKernel::ReductionKernel(GpuCalls& calls, int compute_capability,
                                 collectives::DataType type, collectives::ReduceOp op)
    : calls_(calls),
      functions_(calls.libraries().kernels()),
      element_(static_cast<std::uint64_t>(size_of(type).count())) {
  const std::string binary =
      kernel_binary(calls.libraries().folder(), compute_capability, KernelChoice{type, op});
  check("cuModuleLoadData",
        calls.noted("cuModuleLoadData", functions_.module_load, &module_, binary.data()));
  const std::string name = kernel_name(type, op);
  check("cuModuleGetFunction", functions_.module_get_function(&kernel_, module_, name.c_str()));
  if (op != collectives::ReduceOp::avg) return;
  const std::string average = average_kernel_name(type);
  check("cuModuleGetFunction", functions_.module_get_function(&average_, module_, average.c_str()));
}

ReductionKernel::~ReductionKernel() {
  if (module_ != nullptr) (void)functions_.module_unload(module_);
}

void ReductionKernel::check(const char* name, int result) const {
  check_driver(calls_, functions_, name, result);
}

void ReductionKernel::launch(std::byte* into, const std::byte* from, std::uint64_t bytes,
                             Stream stream) {
  unsigned long long count = bytes / element_;
  std::array<void*, 3> arguments{&into, &from, &count};
  start(kernel_, bytes, arguments, stream);
}

void ReductionKernel::launch_average(std::byte* at, std::uint64_t bytes, std::uint32_t ranks,
                                     Stream stream) {
  unsigned long long divisor = ranks;
  unsigned long long count = bytes / element_;
  std::array<void*, 3> arguments{&at, &divisor, &count};
  start(average_, bytes, arguments, stream);
}

void ReductionKernel::start(Kernel kernel, std::uint64_t bytes, std::array<void*, 3>& arguments,
                            Stream stream) {
  check("cuLaunchKernel",
        calls_.noted("cuLaunchKernel", functions_.launch, kernel, blocks_for(bytes), 1U, 1U,
                     kThreads, 1U, 1U, 0U, stream, arguments.data(), nullptr));
}

}  // namespace railyard::hw::nccl
