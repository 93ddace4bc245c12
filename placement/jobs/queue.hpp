#pragma once

#include <optional>
#include <string>
#include <vector>

namespace railyard::placement {

/// A job that waits for nodes.
struct QueuedJob {
  std::string name, job;
  int gpus = 1;
  std::string fix;  ///< its strategy; empty: to be searched
  std::optional<int> batch;
};

/// Jobs that are placed together.
struct Queue {
  std::string source;
  std::vector<QueuedJob> jobs;
};

}  // namespace railyard::placement
