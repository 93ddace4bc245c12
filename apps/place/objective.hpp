#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

namespace CLI {
class App;
}

namespace railyard::apps {

/// What a placement is chosen by, and what things cost.
struct ObjectiveFlags {
  std::string objective;  ///< time, days, cost or energy; "": time, and nothing is said of it
  std::optional<double> tokens;                      ///< instead of the job's
  std::vector<double> price, gpu_power, idle_power;  ///< one for all types of GPU, or one for each
  double host_power = 0, pue = 1;
  double max_days = 0;  ///< 0: any
  std::string memory;   ///< a limit below the GPU's memory
};

void add_objective_flags(CLI::App& app, ObjectiveFlags& flags);

/// The limit of --memory. Throws InputError for text that is no size.
[[nodiscard]] std::optional<Bytes> memory_limit(const ObjectiveFlags& flags);

}  // namespace railyard::apps
