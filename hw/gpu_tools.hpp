#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/schedule/collective.hpp"
#include "core/units.hpp"

namespace railyard::hw {

/// An m x k by k x n matrix product.
struct ProductShape {
  std::int64_t m = 0, n = 0, k = 0;
};

/// Options of the tests of single GPUs (railyard gpu).
struct GpuTestOptions {
  std::string libraries{};  ///< folder of libcudart.so.N and the other libraries; "": the loader's
                            ///< paths
  int gpus = 0;             ///< number of GPUs to test, from the first; 0: all that CUDA reports
  bool kernels = true, memory = true, products = true;
  Bytes bytes = Bytes(std::int64_t{1} << 30);  ///< size of the buffers for rates
  std::vector<ProductShape> shapes{};          ///< matrix products; empty: those of a transformer
  int iterations = 20;
  Time sustained = Time::milliseconds(3000);  ///< length of the run during which power is read
  Time timeout{};                             ///< for all tests together; zero: none
  std::uint64_t seed = 1;
};

/// A kernel, copy or matrix product that ran on a GPU.
struct GpuTestRow {
  int gpu = 0;
  std::string test;  ///< "kernel", "memory", "product", "sustained"
  std::string name;  ///< "sum_float32", "copy", "bfloat16"
  std::optional<collectives::DataType> type{};
  Bytes bytes{};                        ///< bytes read and written; zero: not counted
  ProductShape shape{};                 ///< of a product
  std::optional<Time> time{};           ///< mean per iteration, by CUDA events
  double GBps = 0, TFLOPs = 0;          ///< 0: not measured in this row
  std::optional<std::int64_t> wrong{};  ///< elements that differ from the CPU's result
  std::string first_wrong{};
  std::optional<double> power_W{}, clock_MHz{};  ///< read during the test
};

/// Rows in the order of the tests, and notes on them.
struct GpuTests {
  std::vector<GpuTestRow> rows{};
  std::vector<std::pair<std::string, std::string>> facts{};  ///< "GPU 0", "cuda", ...
  /// tests that were not run, with reasons
  std::vector<std::string> notes{};
};

/// Tests of GPUs that a program was built with (hw/nccl/device).
struct GpuTools {
  /// Throws BackendError if a library, the driver or a GPU is missing, or a call fails or does not
  /// end in time.
  GpuTests (*test)(const GpuTestOptions& options);
  /// All reduction kernels for a compute capability (90: Hopper) as a cubin, compiled by NVRTC;
  /// needs no GPU. Throws BackendError with the compiler's log.
  std::string (*compile)(const std::string& libraries, int compute_capability);
};

}  // namespace railyard::hw
