#pragma once

#include <span>
#include <string>

#include "apps/output/rows.hpp"
#include "sim/packet/packet_records.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// Transfers in the order of their ends. `tasks`: names of the tasks; "": none.
[[nodiscard]] RowTable tabulate_transfers(std::span<const sim::packet::TransferRecord> transfers,
                                          std::span<const std::string> tasks);

/// Queue depths over time.
[[nodiscard]] RowTable tabulate_queues(const topology::Cluster& cluster,
                                       std::span<const sim::packet::QueueRecord> queues);

/// Pauses: pausing and paused device, and duration.
[[nodiscard]] RowTable tabulate_pauses(const topology::Cluster& cluster,
                                       std::span<const sim::packet::PauseRecord> pauses);

/// Ports at which packets waited. `span`: run time, for the share of pauses.
[[nodiscard]] RowTable tabulate_ports(const topology::Cluster& cluster,
                                      std::span<const sim::packet::PortRecord> ports, Time span);

/// Transfers with the longest delays, where they waited, and the port that they waited for.
[[nodiscard]] RowTable tabulate_victims(const topology::Cluster& cluster,
                                        std::span<const sim::packet::VictimRecord> victims);

}  // namespace railyard::apps
