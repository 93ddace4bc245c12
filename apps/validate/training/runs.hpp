#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/validate/training/measured_rows.hpp"
#include "apps/validate/training/training_map.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::apps {

/// A measured step, and what stands for it.
struct TrainingRun {
  std::size_t set = 0;
  std::string cluster{};  ///< name in configs/clusters
  std::string model{};    ///< hidden size and layers: what is held out together
  std::string group{};    ///< one problem (model, cluster, GPUs, batch), of which one would pick
  placement::Job job{};
  placement::Strategy strategy{};
  int gpus = 0;
  double measured_s = 0;
};

/// What a map makes of files.
struct TrainingRuns {
  std::vector<TrainingRun> runs{};
  std::vector<std::string> left_out{};  ///< "place: reason", rows that nothing stands for included
};

/// Throws InputError where a set's settings make no job or strategy (naming set and row).
[[nodiscard]] TrainingRuns training_runs(const TrainingMap& map,
                                         const std::vector<MeasuredRows>& tables);

}  // namespace railyard::apps
