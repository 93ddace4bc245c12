#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectives/nccl/timing/fit/table_predictions.hpp"
#include "collectives/nccl/timing/timing_parameters.hpp"

namespace railyard::collectives::nccl {

/// A parameter of one generation, fabric or host, as it was fitted.
struct ClassParameter {
  const TimingParameter* parameter = nullptr;
  std::string owner{};  ///< "hopper", "infiniband", name of a node
  double start = 0;
  double value = 0;
  double error = 0;        ///< relative standard error; infinite where the rows do not tell it
  double sensitivity = 0;  ///< largest relative change of a time over that of the parameter
  std::size_t points = 0;  ///< rows that move by more than a twentieth of what it moves
  std::vector<std::string> tables{};  ///< that those rows are of
  bool identified = false;            ///< else it was held at its start
};

/// Where a fit begins.
enum class FitStart {
  shipped,   ///< the values of the config files
  untouched  ///< the defaults, as where no file says anything (chosen with the public tables in
             ///< sight)
};

struct ClassFitRequest {
  FitStart start = FitStart::shipped;
  std::optional<std::size_t> without_table{};  ///< whose rows are not seen
  bool hold_unidentified = true;  ///< fit again with what the rows do not tell held at its start
};

/// Fits the parameters of every class that occurs in `predictions` to its rows: robust least
/// squares on the logarithm of time (core/least_squares.hpp), every sweep of a table (one
/// collective on one number of ranks) with the weight of one. No value is beyond what physics
/// allows (TimingParameter::most).
[[nodiscard]] std::vector<ClassParameter> fit_classes(const Predictions& predictions,
                                                      const ClassFitRequest& request);

/// Predicts rows with fitted parameters.
class FittedPrediction {
 public:
  FittedPrediction(const Predictions& predictions, const std::vector<ClassParameter>& parameters);
  /// Machine of a row with the fitted values.
  [[nodiscard]] Machine machine(const PredictedRow& row) const;
  [[nodiscard]] double error_pct(const PredictedRow& row) const;

 private:
  const Predictions& predictions_;
  const std::vector<ClassParameter>& parameters_;
};

/// The class of `owner` that a row is of, or "" where the row does not depend on one (fabrics of
/// one node, PCIe of hosts whose GPUs have NVLink).
[[nodiscard]] std::string class_of(const Predictions& predictions, const PredictedRow& row,
                                   ParameterOwner owner);

}  // namespace railyard::collectives::nccl
