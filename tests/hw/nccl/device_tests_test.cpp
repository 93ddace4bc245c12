#include "hw/nccl/device/device_tests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "core/diagnostic.hpp"

// CUDA, NVML and cuBLAS are tests/hw/fake_nccl: the kernels' text runs compiled for the host.
namespace railyard::hw::nccl {
namespace {

using ::testing::HasSubstr;

/// An environment variable for as long as this lives.
class Setting {
 public:
  Setting(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Setting() { unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

GpuTestOptions options_of(bool kernels, bool memory, bool products) {
  return {.libraries = RAILYARD_FAKE_GPU,
          .gpus = 1,
          .kernels = kernels,
          .memory = memory,
          .products = products,
          .bytes = Bytes(1 << 20),
          .shapes = {{8, 16, 32}, {64, 64, 64}},
          .iterations = 1,
          .sustained = Time::milliseconds(20),
          .timeout = Time::milliseconds(60'000),
          .seed = 1};
}

TEST(DeviceTests, EveryKernelEqualsTheCpu) {
  const GpuTests tests = test_gpus(options_of(true, false, false));
  std::set<std::string> names;
  for (const GpuTestRow& row : tests.rows) {
    names.insert(row.name);
    EXPECT_EQ(row.wrong, 0) << row.name << ": " << row.first_wrong;
  }
  EXPECT_EQ(names.size(), 60U);  // twelve types, five operations
}

TEST(DeviceTests, AWrongElementIsFoundWithItsPlace) {
  // Each reduction runs twice to be checked, then to be timed: the third is another kernel's first.
  const Setting fault("FAKE_FAULT", "corrupt:kernel:0::1");
  const GpuTests tests = test_gpus(options_of(true, false, false));
  std::int64_t wrong = 0;
  for (const GpuTestRow& row : tests.rows) wrong += *row.wrong;
  EXPECT_EQ(wrong, 1);
  EXPECT_THAT(tests.rows.front().first_wrong, HasSubstr("sum_int8, element 0: expected "));
}

TEST(DeviceTests, MemoryRatesCountBytesReadAndWritten) {
  const GpuTests tests = test_gpus(options_of(false, true, false));
  std::map<std::string, std::int64_t> bytes;
  for (const GpuTestRow& row : tests.rows) bytes[row.name] = row.bytes.count();
  const std::int64_t buffer = 1 << 20;
  EXPECT_EQ(bytes, (std::map<std::string, std::int64_t>{{"fill", buffer},
                                                        {"copy", 2 * buffer},
                                                        {"add", 3 * buffer},
                                                        {"launch", 0},
                                                        {"host_to_device", buffer},
                                                        {"device_to_host", buffer}}));
}

TEST(DeviceTests, ProductsRunInThreeTypesAndPowerIsReadUnderASustainedOne) {
  const GpuTests tests = test_gpus(options_of(false, false, true));
  std::vector<std::string> seen;
  for (const GpuTestRow& row : tests.rows) {
    seen.push_back(row.test + " " + row.name + " " + std::to_string(row.shape.m));
    if (row.test != "sustained") continue;
    EXPECT_DOUBLE_EQ(row.power_W.value_or(0), 612.5);
    EXPECT_DOUBLE_EQ(row.clock_MHz.value_or(0), 1755);
  }
  // Only the square runs in the other types, and it is the sustained one.
  EXPECT_THAT(seen, ::testing::ElementsAre("product bfloat16 8", "product bfloat16 64",
                                           "sustained bfloat16 64", "product float16 64",
                                           "product float32 64"));
}

TEST(DeviceTests, FailuresNameTheCall) {
  const auto reason = [](const char* fault, Time timeout = Time::milliseconds(60'000)) {
    const Setting setting("FAKE_FAULT", fault);
    GpuTestOptions options = options_of(false, false, true);
    options.timeout = timeout;
    try {
      (void)test_gpus(options);
      return std::string("none");
    } catch (const BackendError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(reason("fail:cublasGemmEx:0:13"),
              HasSubstr("GPU 0: cublasGemmEx: CUBLAS_STATUS_EXECUTION_FAILED (13)"));
  EXPECT_THAT(reason("fail:cudaMalloc:0:2"), HasSubstr("GPU 0: cudaMalloc: out of memory"));
  EXPECT_THAT(reason("hang:cublasGemmEx:0", Time::milliseconds(300)),
              HasSubstr("GPU 0: cublasGemmEx did not end within 300 ms"));
}

TEST(DeviceTests, WithoutADriverTheTestsFail) {
  const Setting driver("FAKE_CUDA_ERROR", "35");
  EXPECT_THROW((void)test_gpus(options_of(true, true, true)), BackendError);
}

TEST(DeviceTests, KernelsCompiledBeforeReplaceTheCompiler) {
  const std::string binary = compile_for(RAILYARD_FAKE_GPU, 90);
  EXPECT_THAT(binary, ::testing::StartsWith("fake binary"));
}

}  // namespace
}  // namespace railyard::hw::nccl
