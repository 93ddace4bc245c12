#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/cli/flag_groups.hpp"

namespace railyard::apps {

/// What `railyard validate` was asked of measured training steps.
struct TrainingRequest {
  std::vector<std::string> files{};
  std::string map = "training";
  bool leave_one_out = false;
  bool fit = false;      ///< efficiencies are fitted to the runs, shown and used
  double max_error = 0;  ///< of a set's mean error, in per cent; 0: any
  OutputFlags output{};
};

/// Predicts every measured step, prints the errors by set, and returns the exit code. Throws
/// InputError.
[[nodiscard]] int validate_training(const TrainingRequest& request, Context& context);

}  // namespace railyard::apps
