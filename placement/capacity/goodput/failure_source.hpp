#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "placement/capacity/goodput/run_setup.hpp"

namespace railyard::placement {

/// A failure during a run; times in seconds.
struct Failure {
  double at = 0;
  std::size_t cause = 0;
  bool takes_node = true;
  bool caused_by_job = false;
  int node = -1;  ///< node number in a replayed trace; -1: any node of the job
  double repair = 0;
};

/// The failures of a run, in order of time.
class FailureSource {
 public:
  virtual ~FailureSource() = default;
  /// Time of the next failure; infinite if there is none.
  [[nodiscard]] virtual double next_time() const = 0;
  /// Removes and returns the next failure.
  virtual Failure take() = 0;
};

/// Failures drawn from the rates of a model: each cause has its own random streams.
[[nodiscard]] std::unique_ptr<FailureSource> drawn_failures(const RunSetup& setup,
                                                            std::uint64_t seed, std::uint64_t run);
/// Failures replayed from a trace, from `start_day` on, starting again at its end.
[[nodiscard]] std::unique_ptr<FailureSource> replayed_failures(const FailureTrace& trace,
                                                               double start_day);

}  // namespace railyard::placement
