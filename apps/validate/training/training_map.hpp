#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace railyard::apps {

/// Texts by key; in conditions regular expressions (without regard to case) by column.
using TextMap = std::map<std::string, std::string>;

/// What a column of measurements counts; everything becomes seconds of a step.
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

/// Settings that hold for the rows that meet `when`.
struct RowRule {
  TextMap when{};
  TextMap set{};
};

/// Aims of a set, from the project's own goals; 0 where there is none.
struct SetAim {
  double mean_pct = 0, regret_pct = 0, tau = 0;
};

/// Runs of one kind: where their rows are, and what each column says of job, strategy and machine.
/// Keys of `set` and `columns` are "model" (a name in configs/models), "cluster", "gpus", or a key
/// of a config behind "model.", "job." or "strategy.".
struct TrainingSet {
  std::string name{};
  std::string source{};
  std::string rows{};     ///< "csv", or a JSON pointer in which * is every element
  std::string context{};  ///< regular expression over the texts above the rows
  TextMap when{};         ///< rows that belong to the set
  TextMap set{};          ///< what all rows have
  TextMap columns{};      ///< key by the column that says it
  std::map<std::string, TextMap> values{};  ///< by key: what a column's text means
  std::vector<RowRule> rules{};             ///< in their order, over what stands above
  std::string measured{};                   ///< column; with * the median of the columns
  StepUnit unit = StepUnit::s;
  std::optional<SetAim> aim{};
  bool fitted = false;  ///< the shipped efficiencies were fitted to runs of this set
};

/// Rows that are not to be judged by.
struct LeftOutRows {
  std::string rows{};     ///< as in TrainingSet
  std::string context{};  ///< likewise
  std::string reason{};
};

/// Which models, clusters and strategies stand for measured runs
/// (configs/validation/training.json).
struct TrainingMap {
  std::string name{}, source{};
  std::vector<TrainingSet> sets{};
  std::vector<LeftOutRows> left_out{};
};

/// Reads a map: a path, or a name in configs/validation. Throws InputError with every problem.
[[nodiscard]] TrainingMap read_training_map(const std::string& reference);

}  // namespace railyard::apps
