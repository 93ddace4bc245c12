#include "apps/output/routing_columns.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "apps/output/row_values.hpp"
#include "core/config/enum_names.hpp"
#include "topology/cluster/topology_names.hpp"

namespace railyard::apps {

void add_routing(const topology::RoutingOptions& routing, bool crosses_fabric, RowTable& rows) {
  rows.columns.push_back({"routing", kShared});
  rows.columns.push_back({"qps", kShared});
  for (auto& row : rows.rows) {
    row.push_back(crosses_fabric ? RowValue(std::string(core::enum_name(routing.policy)))
                                 : RowValue());
    row.push_back(crosses_fabric ? RowValue(std::int64_t{routing.qps}) : RowValue());
  }
}

void add_routing_facts(const topology::RoutingOptions& routing, Provenance& provenance) {
  provenance.facts.emplace_back("routing", core::enum_name(routing.policy));
  provenance.facts.emplace_back("qps", fmt::format("{}", routing.qps));
}

}  // namespace railyard::apps
