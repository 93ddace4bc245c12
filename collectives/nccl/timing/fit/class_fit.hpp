#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collectives/nccl/timing/fit/table_predictions.hpp"
#include "collectives/nccl/timing/timing_parameters.hpp"

namespace railyard::collectives::nccl {

/// A fitted parameter of one generation, fabric or host.
struct ClassParameter {
  const TimingParameter* parameter = nullptr;
  std::string owner{};  ///< "hopper", "infiniband", name of a node
  double start = 0;
  double value = 0;
  double error = 0;        ///< relative standard error; infinite if the rows do not determine it
  double sensitivity = 0;  ///< largest relative change of a time / relative change of the parameter
  std::size_t points = 0;  ///< rows whose relative change is above 1/20 of the parameter's
  std::vector<std::string> tables{};  ///< tables of those rows
  bool identified = false;            ///< false: held at its start value
};

/// The start values of a fit.
enum class FitStart {
  shipped,   ///< the values of the config files
  untouched  ///< the defaults of the structs (chosen with knowledge of the public tables)
};

struct ClassFitRequest {
  FitStart start = FitStart::shipped;
  std::optional<std::size_t> without_table{};  ///< a table that is excluded from the fit
  /// hold parameters that the rows do not determine at their start, and fit again
  bool hold_unidentified = true;
};

/// Fits the parameters of every class in `predictions` to its rows by robust least squares on the
/// logarithm of time (core/least_squares.hpp). Each sweep of a table (one collective on one number
/// of ranks) has weight one. Values are limited by TimingParameter::most.
[[nodiscard]] std::vector<ClassParameter> fit_classes(const Predictions& predictions,
                                                      const ClassFitRequest& request);

/// Predicts rows with fitted parameters.
class FittedPrediction {
 public:
  FittedPrediction(const Predictions& predictions, const std::vector<ClassParameter>& parameters);
  /// The machine of a row with the fitted values.
  [[nodiscard]] Machine machine(const PredictedRow& row) const;
  [[nodiscard]] double error_pct(const PredictedRow& row) const;

 private:
  const Predictions& predictions_;
  const std::vector<ClassParameter>& parameters_;
};

/// The class of a row for `owner`; "" if the row does not depend on one (fabrics for a single node,
/// PCIe if the GPUs have NVLink).
[[nodiscard]] std::string class_of(const Predictions& predictions, const PredictedRow& row,
                                   ParameterOwner owner);

}  // namespace railyard::collectives::nccl
