#pragma once

#include "apps/output/rows.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::apps {

/// Adds the columns `routing` and `qps`: policy and queue pairs per connection of all rows; empty
/// if no traffic leaves a node. Tables print them in the heading.
void add_routing(const topology::RoutingOptions& routing, bool crosses_fabric, RowTable& rows);

/// The same as facts of a result.
void add_routing_facts(const topology::RoutingOptions& routing, Provenance& provenance);

}  // namespace railyard::apps
