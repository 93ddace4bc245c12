#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/nccl/choice/choice_request.hpp"

namespace railyard::apps {

/// An algorithm with a protocol, for one size.
struct ChoiceRow {
  std::string collective;
  collectives::nccl::AlgorithmChoice choice;
  std::optional<double> predicted_us;  ///< by the analytic engine
};

/// The rows of `railyard explain` (docs/result-files.md).
[[nodiscard]] RowTable tabulate_choices(const std::vector<ChoiceRow>& rows);

}  // namespace railyard::apps
