#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace railyard::placement {

/// Texts by key. In conditions the values are regular expressions, not case-sensitive, by column.
using TextMap = std::map<std::string, std::string>;

/// Unit of a column of measurements. All are converted to seconds per step.
enum class StepUnit {
  s,
  ms,
  samples_per_s,
  tokens_per_s,
  tokens_per_s_gpu,
  /// Operations per second and GPU by equation 3 of arXiv 2104.04473, recomputation included.
  tflops_recomputed,
  /// Operations per second and GPU without recomputation, the whole square of attention counted.
  tflops_model
};

/// Settings for the rows that match `when`.
struct RowRule {
  TextMap when{};
  TextMap set{};
};

/// Error targets of a set; 0: none.
struct ErrorTargets {
  double mean_pct = 0, regret_pct = 0, tau = 0;
};

/// Runs of one kind: where their rows are, and how columns map to job, strategy and machine. Keys
/// of `set` and `columns` are "model" (a name in configs/models), "cluster", "gpus", or a config
/// key with the prefix "model.", "job." or "strategy.".
struct TrainingSet {
  std::string name{};
  std::string source{};
  std::string rows{};     ///< "csv", or a JSON pointer in which * matches every element
  std::string context{};  ///< regular expression over the texts above the rows
  TextMap when{};         ///< rows that belong to the set
  TextMap set{};          ///< settings of all rows
  TextMap columns{};      ///< column of a setting, by key
  std::map<std::string, TextMap> values{};  ///< by key: setting for each text of the column
  std::vector<RowRule> rules{};             ///< applied in order, after the settings above
  std::string measured{};                   ///< column with the measurement; with * the median of
                                            ///< the matching columns
  std::string memory{};  ///< column of GiB allocated on the fullest GPU (torch max_allocated)
  StepUnit unit = StepUnit::s;
  std::optional<ErrorTargets> aim{};
  bool fitted = false;  ///< the shipped efficiencies were fitted to runs of this set
};

/// Rows that are not used.
struct LeftOutRows {
  std::string rows{};     ///< as in TrainingSet
  std::string context{};  ///< likewise
  std::string reason{};
};

/// Models, clusters and strategies that represent measured runs
/// (configs/validation/training.json).
struct TrainingMap {
  std::string name{}, source{};
  std::vector<TrainingSet> sets{};
  std::vector<LeftOutRows> left_out{};
};

}  // namespace railyard::placement
