#pragma once

#include "apps/output/rows.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::apps {

/// Adds the columns `routing` and `qps`, which tables put into their heading: the policy and the
/// queue pairs per connection of all rows; empty where no traffic leaves a node.
void add_routing(const topology::RoutingOptions& routing, bool crosses_fabric, RowTable& rows);

/// The same as facts of a result.
void add_routing_facts(const topology::RoutingOptions& routing, Provenance& provenance);

}  // namespace railyard::apps
