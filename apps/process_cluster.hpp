#pragma once

#include "topology/cluster.hpp"

namespace railyard::apps {

/// The ranks of one process as a cluster, to make schedules for: one node whose GPUs all hang on
/// one switch, so that every way is as good as any other. Its bandwidths stand for nothing.
[[nodiscard]] topology::Cluster process_cluster(int ranks);

}  // namespace railyard::apps
