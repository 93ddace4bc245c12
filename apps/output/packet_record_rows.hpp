#pragma once

#include <span>
#include <string>

#include "apps/output/rows.hpp"
#include "sim/packet/packet_records.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// Transfers in the order of their ends. `tasks`: names of the tasks, "" where they have none.
[[nodiscard]] RowTable tabulate_transfers(std::span<const sim::packet::TransferRecord> transfers,
                                          std::span<const std::string> tasks);

/// Depths of queues over time.
[[nodiscard]] RowTable tabulate_queues(const topology::Cluster& cluster,
                                       std::span<const sim::packet::QueueRecord> queues);

/// Who paused whom for how long.
[[nodiscard]] RowTable tabulate_pauses(const topology::Cluster& cluster,
                                       std::span<const sim::packet::PauseRecord> pauses);

}  // namespace railyard::apps
