#pragma once

#include "core/id.hpp"

namespace railyard::topology {

/// A link of a route, and the share of the connection's bytes that crosses it: 1 for a single path,
/// 1/qps for the path of one queue pair, less under spray. A link appears at most once in a route.
struct Hop {
  LinkId link;
  double share = 1.0;
};

}  // namespace railyard::topology
