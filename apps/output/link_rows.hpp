#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/schedule/executor.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// The load of the links of a tier during one result row (docs/result-files.md).
struct LinkRow {
  std::int64_t row = 0;
  std::string tier;
  std::string direction;
  std::int64_t pod = -1;  ///< -1: the whole tier
  std::int64_t links = 0;
  std::int64_t used = 0;
  double max_utilisation = 0;
  double mean_utilisation = 0;
  std::string busiest;
};

/// The load of a cable between a NIC and a switch, or between two switches, during one result row.
/// For parallel cables, that of the busiest.
struct CableRow {
  std::int64_t row = 0;
  std::string cable;        ///< "pod0/leaf0 -- pod0/spine1", the lower end first
  double up = 0, down = 0;  ///< utilisation towards the core and from it, 0 to 1
};

/// Loads of the cables in a picture of the cluster (apps/output/picture): all of a small cluster,
/// the first of each row of a large one.
[[nodiscard]] std::vector<CableRow> cable_rows(const topology::Cluster& cluster,
                                               const collectives::Run& run, std::size_t row,
                                               Time span);

/// The columns of those rows.
[[nodiscard]] RowTable tabulate_cables(const std::vector<CableRow>& rows);

/// Rows for a run whose result row has number `row` and took `span`: one per tier and direction,
/// and with several pods one per pod of each.
[[nodiscard]] std::vector<LinkRow> link_rows(const topology::Cluster& cluster,
                                             const collectives::Run& run, std::size_t row,
                                             Time span);

/// The columns of those rows; rows of the whole tier have no pod.
[[nodiscard]] RowTable tabulate_links(const std::vector<LinkRow>& rows);

}  // namespace railyard::apps
