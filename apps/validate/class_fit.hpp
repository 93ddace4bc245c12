#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/validate/predicted.hpp"
#include "collectives/nccl/timing/timing_parameters.hpp"

namespace railyard::apps {

/// A parameter of one generation, fabric or host, as it was fitted.
struct ClassParameter {
  const collectives::nccl::TimingParameter* parameter = nullptr;
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

/// Fits the parameters of every class that occurs in `judged` to its rows: robust least squares on
/// the logarithm of time (core/least_squares.hpp), every sweep of a table (one collective on one
/// number of ranks) with the weight of one.
[[nodiscard]] std::vector<ClassParameter> fit_classes(const Judged& judged,
                                                      const ClassFitRequest& request);

/// Predicts rows with fitted parameters.
class FittedPrediction {
 public:
  FittedPrediction(const Judged& judged, const std::vector<ClassParameter>& parameters);
  /// Machine of a row with the fitted values.
  [[nodiscard]] collectives::nccl::Machine machine(const JudgedRow& row) const;
  [[nodiscard]] double error_pct(const JudgedRow& row) const;

 private:
  const Judged& judged_;
  const std::vector<ClassParameter>& parameters_;
};

/// The class of `owner` that a row is of, or "" where the row does not depend on one (fabrics of
/// one node, PCIe of hosts whose GPUs have NVLink).
[[nodiscard]] std::string class_of(const Judged& judged, const JudgedRow& row,
                                   collectives::nccl::ParameterOwner owner);

}  // namespace railyard::apps
