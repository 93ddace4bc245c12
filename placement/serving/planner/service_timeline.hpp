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
  double waiting = 0;       ///< queued requests, sum over replicas
  double batch = 0;         ///< admitted requests, sum over replicas
  double kv_use = 0;        ///< share of KV cache blocks in use, mean over replicas
  double tokens_per_s = 0;  ///< tokens computed by steps, prompts and answers
  double power = 0;         ///< W of all GPUs of the pool
};

/// Averages the steps of a run over at most kBins equal intervals. When the run becomes longer than
/// these, pairs of neighbours are merged, so the memory does not depend on the run's length.
///
/// Queue, batch and blocks of a step count for its whole duration. Between steps a replica counts
/// as empty and uses the power of an idle GPU, also with autoscaling, where it may be off.
class ServiceTimeline {
 public:
  static constexpr std::size_t kBins = 120;
  /// The request must outlive it.
  ServiceTimeline(const ServingPlanRequest& request, const ServingOption& option);
  void add(const StepRecord& step);
  /// Intervals up to the end of the last step.
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
