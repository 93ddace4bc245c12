#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace railyard::collectives {

/// A row of a baseline.
struct BaselineRow {
  std::string name;
  std::int64_t bytes = 0;
  double time_us = 0;
  std::string algorithm{};   ///< for a training job the strategy; empty if the baseline has none
  std::string bound_by{};    ///< empty if the baseline has none
  std::string collective{};  ///< empty if the baseline has none
  std::optional<double> ranks{};  ///< nothing if the baseline has none
  /// Digests of the configs that all cases of the baseline read, by name.
  std::shared_ptr<const std::map<std::string, std::string>> configs{};
};

/// Reads what `railyard regress --update` wrote. Throws InputError for anything else.
[[nodiscard]] std::vector<BaselineRow> read_baseline(const std::string& file);

}  // namespace railyard::collectives
