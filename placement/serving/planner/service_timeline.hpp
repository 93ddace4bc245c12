#pragma once

#include <string_view>
#include <vector>

#include "placement/serving/planner/plan_case.hpp"
#include "placement/serving/service/step_record.hpp"

namespace railyard::placement::serving {

/// State of a pool of an option in a time interval: means over the interval.
struct TimelinePoint {
  std::string_view pool{};  ///< "prompts and decodes", or "prompts" and "decodes"
  double from = 0, to = 0;  ///< seconds
  double waiting = 0;       ///< requests in the queues of the engines, all replicas
  double batch = 0;         ///< requests that are admitted, all replicas
  double kv_use = 0;        ///< share of the KV cache's blocks in use, mean of the replicas
  double tokens_per_s = 0;  ///< tokens that steps compute, of prompts and answers
  double power = 0;         ///< W of all GPUs of the pool
};

/// Sums the steps of a run into at most kBins equal parts of its time. Two neighbours become one
/// where the run outlasts them, so that a run of any length needs the same memory.
///
/// A step counts with its queue, batch and blocks for its whole length; between steps a replica has
/// none and draws the power of an idle GPU (with autoscaling too, where it may be off).
class ServiceTimeline {
 public:
  static constexpr std::size_t kBins = 120;
  /// The request must outlive it.
  ServiceTimeline(const ServingPlanRequest& request, const ServingOption& option);
  void add(const StepRecord& step);
  /// Up to the end of the last step.
  [[nodiscard]] std::vector<TimelinePoint> points() const;

 private:
  /// Integrals over time.
  struct Sums {
    double waiting = 0, batch = 0, blocks = 0, tokens = 0, energy = 0;
    Sums& add(const Sums& other, double times);
  };
  struct Pool {
    std::string_view name{};
    const PlanCase* one = nullptr;
    int replicas = 0;
    double idle_power = 0;  ///< W of a replica
    std::vector<Sums> bins{};
  };
  void widen();

  OptionCases cases_;
  std::vector<Pool> pools_{};
  double width_ = 0.01, end_ = 0;
};

}  // namespace railyard::placement::serving
