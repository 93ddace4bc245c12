#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/formats/measured_table.hpp"
#include "collectives/nccl/timing/fit/system_map.hpp"
#include "collectives/nccl/timing/time_model.hpp"

namespace railyard::collectives::nccl {

/// A measured row with the inputs of its prediction. NCCL's choice is stored, because it does not
/// depend on the fitted parameters.
struct PredictedRow {
  std::size_t table = 0;  ///< index into Predictions::tables
  MeasuredRow measured;
  std::shared_ptr<const Machine> machine{};
  TimeQuery query{};
  topology::LaunchCost launch{};  ///< of the benchmark's harness

  /// The prediction with the parameters of the machine's files.
  [[nodiscard]] double predicted_us() const;
  /// (predicted / measured - 1) in per cent.
  [[nodiscard]] double error_pct() const;
};

/// A measured table and the parameter sets that predict it.
struct PredictedTable {
  std::string name{}, source{}, cluster{}, generation{}, fabric{}, host{}, harness{};
};

/// Predictions of all rows of measured tables, and the tables without one.
struct Predictions {
  std::vector<PredictedTable> tables{};
  std::vector<PredictedRow> rows{};
  std::vector<ExcludedTable> left_out{};
};

struct PredictionRequest {
  SystemMap map{};
  std::string cluster{};             ///< for every table; "": by the map
  std::optional<Harness> harness{};  ///< for every table; nothing: by the map
};

/// Predicts every row of `tables`: NCCL's choice of algorithm and protocol on the searched graph,
/// then the fitted time model. Throws InputError for clusters that cannot be read.
[[nodiscard]] Predictions predict_tables(const std::vector<MeasuredTable>& tables,
                                         const PredictionRequest& request);

}  // namespace railyard::collectives::nccl
