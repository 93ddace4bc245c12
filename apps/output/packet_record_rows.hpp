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

/// Ports that packets waited at. `span`: the time of the run, that pauses are a share of.
[[nodiscard]] RowTable tabulate_ports(const topology::Cluster& cluster,
                                      std::span<const sim::packet::PortRecord> ports, Time span);

/// Transfers that lost most time, where they waited, and the port that they waited for.
[[nodiscard]] RowTable tabulate_victims(const topology::Cluster& cluster,
                                        std::span<const sim::packet::VictimRecord> victims);

}  // namespace railyard::apps
