#pragma once

#include <cstdint>
#include <optional>

namespace railyard::topology {

/// How a fabric chooses among equal-cost paths.
///   rail:     by destination (D-mod-k). Traffic within a rail has no collisions.
///   ecmp:     each switch hashes the 5-tuple.
///   balanced: ecmp, with UDP source ports chosen so that the flows of a run spread evenly.
///   adaptive: each flow uses the least loaded path at its start and keeps it.
///   spray:    the packets of a flow are spread evenly over all paths.
enum class RoutingPolicy { rail, ecmp, balanced, adaptive, spray };

struct RoutingOptions {
  RoutingPolicy policy = RoutingPolicy::rail;
  int qps = 1;             ///< queue pairs per connection; each carries an equal part (split mode)
  bool polarised = false;  ///< every switch hashes with the same seed
  std::uint64_t seed = 1;
};

}  // namespace railyard::topology
