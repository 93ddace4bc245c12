#include "apps/gpu/gpu_rows.hpp"

#include <fmt/format.h>

#include <array>

#include "apps/output/row_values.hpp"

namespace railyard::apps {
namespace {

using collectives::DataType;
using Row = PredictedGpuRow;

placement::Precision precision_of(DataType type) {
  if (type == DataType::bfloat16) return placement::Precision::bf16;
  return type == DataType::float16 ? placement::Precision::fp16 : placement::Precision::fp32;
}

/// Error of the prediction in per cent of the measured time.
std::optional<double> error_of(const Row& r) {
  if (!r.predicted || !r.row.time || *r.row.time <= Time()) return std::nullopt;
  return (r.predicted->seconds() / r.row.time->seconds() - 1) * 100;
}

}  // namespace

std::optional<Time> predict(const placement::Processor& processor, const hw::GpuTestRow& row) {
  const double bytes = static_cast<double>(row.bytes.count());
  if (row.test == "product") {
    return placement::product_time(processor, precision_of(*row.type),
                                   {.m = static_cast<double>(row.shape.m),
                                    .n = static_cast<double>(row.shape.n),
                                    .k = static_cast<double>(row.shape.k)});
  }
  if (row.test != "memory" || row.bytes == Bytes()) return std::nullopt;
  if (row.name == "host_to_device" || row.name == "device_to_host") {
    const Bandwidth host = processor.compute().host_bandwidth;
    if (host <= Bandwidth()) return std::nullopt;
    return core::serialisation_time(row.bytes, host);
  }
  return placement::stream_time(processor, bytes);
}

RowTable tabulate_gpu_tests(const std::vector<PredictedGpuRow>& rows) {
  static constexpr std::array<Column<Row>, 16> kColumns{{
      {"gpu", [](const Row& r) -> RowValue { return std::int64_t{r.row.gpu}; }},
      {"test", [](const Row& r) -> RowValue { return r.row.test; }},
      {"name", [](const Row& r) -> RowValue { return r.row.name; }},
      {"bytes", [](const Row& r) { return if_positive(r.row.bytes.count()); }, {.is_size = true}},
      {"m", [](const Row& r) { return if_positive(r.row.shape.m); }},
      {"n", [](const Row& r) { return if_positive(r.row.shape.n); }},
      {"k", [](const Row& r) { return if_positive(r.row.shape.k); }},
      {"time_us", [](const Row& r) { return microseconds(r.row.time); }, kHundredths},
      {"rate_GBps", [](const Row& r) { return if_positive(r.row.GBps); }, kTenths},
      {"rate_TFLOPs", [](const Row& r) { return if_positive(r.row.TFLOPs); }, kTenths},
      {"predicted_us", [](const Row& r) { return microseconds(r.predicted); }, kHundredths},
      {"error_pct", [](const Row& r) { return if_known(error_of(r)); }, kTenths},
      {"wrong", [](const Row& r) { return if_known(r.row.wrong); }},
      {"power_W", [](const Row& r) { return if_known(r.row.power_W); }, kTenths},
      {"clock_MHz", [](const Row& r) { return if_known(r.row.clock_MHz); }, kTenths},
      {"first_wrong", [](const Row& r) { return text_or_nothing(r.row.first_wrong); }},
  }};
  return tabulate(kColumns, rows);
}

std::string gemm_table_text(const hw::GpuTests& tests) {
  std::string text =
      "# Measured matrix products, bfloat16: m x k by k x n, milliseconds. Source: "
      "railyard gpu --gemm-table";
  for (const auto& [name, value] : tests.facts) {
    if (name == "GPU 0") text += " on " + value;
  }
  text += "\nm,n,k,ms\n";
  for (const hw::GpuTestRow& row : tests.rows) {
    if (row.gpu != 0 || row.test != "product" || row.type != DataType::bfloat16) continue;
    text += fmt::format("{},{},{},{:.6g}\n", row.shape.m, row.shape.n, row.shape.k,
                        row.time->seconds() * 1e3);
  }
  return text;
}

}  // namespace railyard::apps
