#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace railyard::collectives {

/// A row of a baseline: one size of a case, and its expected time. Optional members are empty if
/// the file does not contain them.
struct BaselineRow {
  std::string name;
  std::int64_t bytes = 0;
  double time_us = 0;
  std::string algorithm{};  ///< for a training job: its strategy
  std::string bound_by{};
  std::string collective{};
  std::optional<double> ranks{};
  /// Digests of the configs that the cases of the baseline read, by config name.
  std::shared_ptr<const std::map<std::string, std::string>> configs{};
};

/// Reads a file written by `railyard regress --update`. Throws InputError for any other content.
[[nodiscard]] std::vector<BaselineRow> read_baseline(const std::string& file);

}  // namespace railyard::collectives
