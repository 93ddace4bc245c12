#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/place/place_flags.hpp"

namespace railyard::apps {

/// A job that waits for its place.
struct QueuedJob {
  std::string name, job;
  int gpus = 1;
  std::string fix;  ///< its strategy; left out: searched for
  std::optional<int> batch;
};

/// Jobs that are to be placed together.
struct Queue {
  std::string source;
  std::vector<QueuedJob> jobs;
};

/// --queue FILE (railyard schema queue): nodes for several new jobs on what is free. The strategies
/// are those that are fastest on the free nodes alone; then the jobs take nodes one after the
/// other, each beside what those before it send, in the order of the file and largest first: the
/// order counts in which all of them together lose the least GPU time. In the end each is simulated
/// beside all others. Returns the exit code: 1 where a job finds no room.
int run_queue(const PlaceFlags& flags, Context& context);

}  // namespace railyard::apps
