#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/schedule/packet_statistics.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// Packet statistics of one result row (docs/result-files.md).
struct PacketRow {
  std::int64_t row = 0;
  collectives::PacketStatistics packets;
  std::string deepest, most_paused;  ///< names of links; "": none
};

/// The statistics of a packet simulation, for result row `row`.
[[nodiscard]] PacketRow packet_row(const topology::Cluster& cluster,
                                   const collectives::PacketStatistics& packets, std::size_t row);

/// The columns of those rows.
[[nodiscard]] RowTable tabulate_packets(const std::vector<PacketRow>& rows);

}  // namespace railyard::apps
