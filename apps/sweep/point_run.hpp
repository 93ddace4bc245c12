#pragma once

#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/sweep/sweep_request.hpp"
#include "core/sweep/changed_config.hpp"
#include "core/sweep/input_digest.hpp"
#include "core/sweep/outcome.hpp"

namespace railyard::apps {

/// The points of a sweep, which are run within this process. Thread-safe.
class PointRunner {
 public:
  /// Enumerates the points. Parses the command line of the first point and of each value of each
  /// field. Throws InputError if a flag, a field of a config or a value does not exist.
  PointRunner(const SweepRequest& request, const Context& context);

  [[nodiscard]] std::size_t count() const { return points_.size(); }
  [[nodiscard]] const std::vector<std::string>& values(std::size_t point) const {
    return points_[point];
  }
  /// The digest of the point's inputs.
  [[nodiscard]] std::string digest(std::size_t point);
  /// Runs the command of the point with one thread. Errors are in the outcome.
  [[nodiscard]] core::sweep::Outcome run(std::size_t point);

 private:
  void check_values();

  const SweepRequest& request_;
  const Context& context_;
  std::vector<std::vector<std::string>> points_;
  core::sweep::InputDigests digests_;
  core::sweep::ChangedConfigs configs_;
  bool has_threads_ = false;  ///< the command has --threads, and the sweep does not set it
};

}  // namespace railyard::apps
