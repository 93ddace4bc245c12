#include "hw/diagnose/expected_times.hpp"

#include <algorithm>

#include "collectives/formats/measured_table.hpp"
#include "collectives/nccl/timing/fit/table_predictions.hpp"

namespace railyard::hw {

std::vector<std::optional<Time>> expected_times(const std::string& cluster,
                                                std::span<const ExpectedTest> tests) {
  collectives::MeasuredTable table{.name = "tests"};
  for (const ExpectedTest& test : tests)
    if (const auto kind = collectives::collective_named(test.collective))
      table.rows.push_back({.collective = {.kind = *kind, .bytes = test.bytes},
                            .ranks = 2 * test.gpus_per_node,
                            .nodes = 2,
                            .time_us = 1});
  const auto predictions =
      collectives::nccl::predict_tables({table}, {.map = {}, .cluster = cluster, .harness = {}});
  std::vector<std::optional<Time>> times;
  for (const ExpectedTest& test : tests) {
    const auto row = std::ranges::find_if(predictions.rows, [&](const auto& predicted) {
      const collectives::MeasuredRow& measured = predicted.measured;
      return measured.ranks == 2 * test.gpus_per_node && measured.collective.bytes == test.bytes &&
             collectives::collective_named(test.collective) == measured.collective.kind;
    });
    times.emplace_back();
    if (row != predictions.rows.end())
      times.back() = Time::from_seconds(row->predicted_us() * 1e-6);
  }
  return times;
}

}  // namespace railyard::hw
