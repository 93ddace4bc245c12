#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "placement/measured/measured_rows.hpp"
#include "placement/measured/training_map.hpp"
#include "placement/model/job.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// A measured step with the cluster, job and strategy that represent it.
struct TrainingRun {
  std::size_t set = 0;    ///< index into TrainingMap::sets
  std::string cluster{};  ///< name in configs/clusters
  std::string model{};    ///< layers and hidden size; runs of one model are held out together
  std::string group{};    ///< runs of one problem (model, cluster, GPUs, batch), between which a
                          ///< user would choose
  Job job{};
  Strategy strategy{};
  int gpus = 0;
  double measured_s = 0;
  double measured_gib = 0;  ///< tensors on the fullest GPU; 0: not measured
  std::string note{};       ///< assumptions about values that the row does not give
};

/// The runs that a map selects from files.
struct TrainingRuns {
  std::vector<TrainingRun> runs{};
  std::vector<std::string> left_out{};  ///< "place: reason"
  std::vector<std::string> assumed{};   ///< "place: note"
};

/// Throws InputError, naming set and row, if the settings of a set do not give a job and strategy.
[[nodiscard]] TrainingRuns training_runs(const TrainingMap& map,
                                         const std::vector<MeasuredRows>& tables);

}  // namespace railyard::placement
