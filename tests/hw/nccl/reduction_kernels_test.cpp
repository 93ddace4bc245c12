#include "hw/nccl/reduction_kernels.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "hw/shared_library.hpp"

namespace railyard::hw::nccl {
namespace {

/// NVRTC of this machine: compiling needs no GPU and no driver.
bool load_compiler(CompilerFunctions& functions) {
  constexpr std::array kNames{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"};
  try {
    const SharedLibrary library({kNames, ""}, "");
    library.find(functions.create_source, "nvrtcCreateProgram");
    library.find(functions.destroy_source, "nvrtcDestroyProgram");
    library.find(functions.compile, "nvrtcCompileProgram");
    library.find(functions.binary_size, "nvrtcGetCUBINSize");
    library.find(functions.binary, "nvrtcGetCUBIN");
    library.find(functions.log_size, "nvrtcGetProgramLogSize");
    library.find(functions.log, "nvrtcGetProgramLog");
    library.find(functions.compiler_error_string, "nvrtcGetErrorString");
    return true;
  } catch (const BackendError&) {
    return false;
  }
}

TEST(ReductionKernels, CompileForTheGpusOfADecade) {
  CompilerFunctions functions;
  if (!load_compiler(functions)) GTEST_SKIP() << "NVRTC was not found on this machine";
  const auto has = [](const std::string& binary, collectives::DataType type,
                      collectives::ReduceOp op) {
    return binary.find(".text." + kernel_name(type, op)) != std::string::npos;
  };
  const std::string all = compile_kernels(functions, 90);
  for (const auto& [type, type_name] : core::EnumNames<collectives::DataType>::table) {
    for (const auto& [op, op_name] : core::EnumNames<collectives::ReduceOp>::table) {
      EXPECT_TRUE(has(all, type, op)) << type_name << " " << op_name;
    }
    EXPECT_NE(all.find(".text." + average_kernel_name(type)), std::string::npos) << type_name;
  }
  // NVRTC 13 begins at Turing; A100, H100, B200.
  using collectives::DataType;
  using collectives::ReduceOp;
  for (const int compute_capability : {80, 90, 100}) {
    for (const DataType type : {DataType::bfloat16, DataType::float16}) {
      const std::string one =
          compile_kernels(functions, compute_capability, KernelChoice{type, ReduceOp::max});
      EXPECT_THAT(one, ::testing::StartsWith("\x7f"
                                             "ELF"));
      EXPECT_TRUE(has(one, type, ReduceOp::max));
      EXPECT_FALSE(has(one, type, ReduceOp::min));
    }
    const std::string average = compile_kernels(functions, compute_capability,
                                                KernelChoice{DataType::uint8, ReduceOp::avg});
    EXPECT_TRUE(has(average, DataType::uint8, ReduceOp::avg));
    EXPECT_NE(average.find(".text.average_uint8"), std::string::npos);
  }
}

TEST(ReductionKernels, AnUnknownGpuIsRefusedWithTheCompilersReason) {
  CompilerFunctions functions;
  if (!load_compiler(functions)) GTEST_SKIP() << "NVRTC was not found on this machine";
  try {
    (void)compile_kernels(functions, 1);
    FAIL();
  } catch (const BackendError& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("nvrtcCompileProgram for --gpu-architecture=sm_1: "));
  }
}

}  // namespace
}  // namespace railyard::hw::nccl
