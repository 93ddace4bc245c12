#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/schedule/executor.hpp"
#include "sim/cable_loads.hpp"
#include "sim/link_report.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// The load of the links of a tier during one result row (docs/result-files.md).
struct LinkRow {
  std::size_t row = 0;
  sim::TierLoad load;
  std::string busiest;  ///< name of the link; "": none
};

/// The load of a cable during one result row.
struct CableRow {
  std::size_t row = 0;
  sim::CableLoad load;
};

/// Rows for a run whose result row has number `row` and took `span`: one per tier and direction,
/// and with several pods one per pod of each.
[[nodiscard]] std::vector<LinkRow> link_rows(const topology::Cluster& cluster,
                                             const std::vector<collectives::LinkLoad>& loads,
                                             std::size_t row, Time span);
/// The same with one row per cable.
[[nodiscard]] std::vector<CableRow> cable_rows(const topology::Cluster& cluster,
                                               const std::vector<collectives::LinkLoad>& loads,
                                               std::size_t row, Time span);

/// The name of a link; "" for none.
[[nodiscard]] std::string link_name(const topology::Cluster& cluster, LinkId link);

/// Rows of the whole tier have no pod.
[[nodiscard]] RowTable tabulate_links(const std::vector<LinkRow>& rows);
[[nodiscard]] RowTable tabulate_cables(const std::vector<CableRow>& rows);

}  // namespace railyard::apps
