#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <random>
#include <thread>

#include "hw/local/narrow_floats.hpp"
#include "hw/nccl/device/device_rates.hpp"

namespace railyard::hw::nccl {
namespace {

using collectives::DataType;

/// Products of transformers: tokens times weights of 8B and 70B models (attention output, MLP up
/// and down), and square ones.
std::vector<ProductShape> usual_shapes() {
  constexpr std::array<std::array<std::int64_t, 2>, 6> kWeights{
      {{4096, 4096}, {14336, 4096}, {4096, 14336}, {8192, 8192}, {28672, 8192}, {8192, 28672}}};
  std::vector<ProductShape> shapes;
  for (const std::int64_t m : {1, 16, 64, 256, 1024, 4096, 8192}) {
    for (const auto& [n, k] : kWeights) shapes.push_back({m, n, k});
  }
  for (const std::int64_t side : {512, 1024, 2048, 4096, 8192})
    shapes.push_back({side, side, side});
  return shapes;
}

std::int64_t work_of(const ProductShape& s) { return s.m * s.n * s.k; }

int matrix_type(DataType type) {
  if (type == DataType::float32) return kMatrixFloat32;
  return type == DataType::float16 ? kMatrixFloat16 : kMatrixBfloat16;
}

/// Random values between -1 and 1, because products of zeros take less power and time.
std::string random_table(DataType type, std::uint64_t seed) {
  constexpr std::size_t kTable = std::size_t{1} << 20;
  std::mt19937_64 random(seed);
  std::string table(kTable, '\0');
  const auto element = static_cast<std::size_t>(size_of(type).count());
  for (std::size_t at = 0; at < kTable; at += element) {
    const float value = static_cast<float>(static_cast<std::int32_t>(random())) * 0x1p-31F;
    const auto store = [&](auto v) { std::memcpy(table.data() + at, &v, sizeof v); };
    if (type == DataType::float16) store(to_float16(value));
    if (type == DataType::bfloat16) store(to_bfloat16(value));
    if (type == DataType::float32) store(value);
  }
  return table;
}

/// cuBLAS on a device.
class MatrixLibrary {
 public:
  explicit MatrixLibrary(const Device& device)
      : device_(device), functions_(load_matrix_library(device.calls().libraries().folder())) {
    check("cublasCreate", functions_.create(&handle_));
    check("cublasSetStream", functions_.set_stream(handle_, device.stream()));
  }
  ~MatrixLibrary() { (void)functions_.destroy(handle_); }
  MatrixLibrary(const MatrixLibrary&) = delete;
  MatrixLibrary& operator=(const MatrixLibrary&) = delete;

  /// result (m x n) = activations (m x k) times the transpose of weights (n x k), all stored by
  /// rows as in frameworks. cuBLAS stores by columns, so it computes the transpose.
  void enqueue(DataType type, const ProductShape& s, const std::byte* weights,
               const std::byte* activations, std::byte* result) const {
    const float one = 1, zero = 0;
    const int kind = matrix_type(type);
    const int compute = type == DataType::float32 ? kComputeTf32 : kComputeFloat32;
    const auto m = static_cast<int>(s.m), n = static_cast<int>(s.n), k = static_cast<int>(s.k);
    check("cublasGemmEx",
          device_.calls().noted(
              "cublasGemmEx", functions_.product, handle_, kTransposed, kNotTransposed, n, m, k,
              static_cast<const void*>(&one), static_cast<const void*>(weights), kind, k,
              static_cast<const void*>(activations), kind, k, static_cast<const void*>(&zero),
              static_cast<void*>(result), kind, n, compute, kDefaultAlgorithm));
  }

 private:
  void check(const char* call, int result) const {
    if (result != 0)
      device_.calls().failed(call,
                             fmt::format("{} ({})", functions_.status_string(result), result));
  }
  const Device& device_;
  MatrixFunctions functions_;
  MatrixHandle handle_ = nullptr;
};

/// The products of one type, with memory for the largest.
class TypeProducts {
 public:
  TypeProducts(const Device& device, const MatrixLibrary& library, DataType type,
               const std::vector<ProductShape>& shapes, std::uint64_t seed)
      : device_(device),
        library_(library),
        type_(type),
        weights_(device, most(shapes, [](const ProductShape& s) { return s.n * s.k; })),
        activations_(device, most(shapes, [](const ProductShape& s) { return s.m * s.k; })),
        result_(device, most(shapes, [](const ProductShape& s) { return s.m * s.n; })) {
    const std::string table = random_table(type, seed);
    device.repeat(weights_.data(), table,
                  most(shapes, [](const ProductShape& s) { return s.n * s.k; }));
    device.repeat(activations_.data(), table,
                  most(shapes, [](const ProductShape& s) { return s.m * s.k; }));
  }

  GpuTestRow row(const ProductShape& shape, int iterations) const {
    GpuTestRow row = empty_row("product", shape);
    row.time = device_.timed(iterations, [&] { enqueue(shape); });
    set_rate(row);
    return row;
  }

  /// Repeats the product for `length`. Power and clock are means over the second half, because NVML
  /// averages power over a second.
  GpuTestRow sustained(const ProductShape& shape, Time length, const NvmlMeter& meter) const {
    using Clock = std::chrono::steady_clock;
    GpuTestRow row = empty_row("sustained", shape);
    const Time once = device_.timed(1, [&] { enqueue(shape); });
    const int batch = std::clamp(static_cast<int>(0.05 / std::max(once.seconds(), 1e-6)), 1, 1000);
    const auto begin = Clock::now();
    const auto half = begin + std::chrono::nanoseconds(length.picoseconds() / 2000);
    const auto end = begin + std::chrono::nanoseconds(length.picoseconds() / 1000);
    double watts = 0, clock = 0, seconds = 0;
    int readings = 0, clock_readings = 0, products = 0;
    do {
      seconds += device_.timed(batch, [&] { enqueue(shape); }).seconds() * batch;
      products += batch;
      if (Clock::now() < half) continue;
      if (const auto read = meter.watts(device_.address())) watts += *read, ++readings;
      if (const auto read = meter.megahertz(device_.address())) clock += *read, ++clock_readings;
    } while (Clock::now() < end);
    row.time = Time::picoseconds(static_cast<std::int64_t>(seconds / products * 1e12));
    if (readings > 0) row.power_W = watts / readings;
    if (clock_readings > 0) row.clock_MHz = clock / clock_readings;
    set_rate(row);
    return row;
  }

 private:
  template <class Count>
  [[nodiscard]] std::uint64_t most(const std::vector<ProductShape>& shapes,
                                   const Count& count) const {
    std::int64_t elements = 0;
    for (const ProductShape& shape : shapes) elements = std::max(elements, count(shape));
    return static_cast<std::uint64_t>(elements * size_of(type_).count());
  }
  void enqueue(const ProductShape& shape) const {
    library_.enqueue(type_, shape, weights_.data(), activations_.data(), result_.data());
  }
  [[nodiscard]] GpuTestRow empty_row(const char* test, const ProductShape& shape) const {
    return {.gpu = device_.number(),
            .test = test,
            .name = std::string(to_text(type_)),
            .type = type_,
            .shape = shape,
            .time = {},
            .first_wrong = {},
            .power_W = {},
            .clock_MHz = {}};
  }
  static void set_rate(GpuTestRow& row) {
    const double seconds = row.time->seconds();
    if (seconds > 0) row.TFLOPs = 2 * static_cast<double>(work_of(row.shape)) / seconds / 1e12;
  }

  const Device& device_;
  const MatrixLibrary& library_;
  DataType type_;
  DeviceBuffer weights_, activations_, result_;
};

}  // namespace

std::vector<GpuTestRow> measure_products(const Device& device, const GpuTestOptions& options,
                                         const NvmlMeter& meter) {
  const std::vector<ProductShape> shapes = options.shapes.empty() ? usual_shapes() : options.shapes;
  std::vector<ProductShape> squares;
  for (const ProductShape& s : shapes) {
    if (s.m == s.n && s.n == s.k) squares.push_back(s);
  }
  const ProductShape largest = *std::ranges::max_element(
      squares.empty() ? shapes : squares, {}, [](const ProductShape& s) { return work_of(s); });
  const MatrixLibrary library(device);
  std::vector<GpuTestRow> rows;
  for (const DataType type : {DataType::bfloat16, DataType::float16, DataType::float32}) {
    const bool all = type == DataType::bfloat16;
    if (!all && squares.empty()) continue;
    const TypeProducts products(device, library, type, all ? shapes : squares, options.seed);
    for (const ProductShape& shape : all ? shapes : squares)
      rows.push_back(products.row(shape, options.iterations));
    if (all && options.sustained > Time())
      rows.push_back(products.sustained(largest, options.sustained, meter));
  }
  return rows;
}

}  // namespace railyard::hw::nccl
