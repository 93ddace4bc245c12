#pragma once

#include <memory>

#include "collectives/algorithms/algorithm.hpp"
#include "placement/simulate/executed_collectives.hpp"

namespace railyard::placement {

/// Collectives as rings, sends to the neighbour, on an executor. `cluster` and `executor` must live
/// as long.
inline Engine engine_of_rings(const topology::Cluster& cluster, collectives::Executor& executor) {
  return {.cluster = cluster,
          .executor = executor,
          .schedule = [&cluster](const std::shared_ptr<const collectives::Group>& group,
                                 const collectives::Collective& collective) {
            return collectives::build_schedule(
                collective.kind == collectives::Kind::send_recv ? "neighbour" : "ring",
                {cluster, group, collective, {}});
          }};
}

}  // namespace railyard::placement
