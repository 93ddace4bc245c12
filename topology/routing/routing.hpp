#pragma once

#include <cstdint>
#include <optional>

namespace railyard::topology {

/// How a fabric chooses among equal paths. rail: deterministic by destination (D-mod-k; no
/// collisions if the traffic follows the rails). ecmp: per switch, by a hash of the 5-tuple.
/// balanced: ecmp with UDP source ports chosen so that the flows of a run spread evenly. adaptive:
/// each flow uses the least loaded path at its start. spray: each packet uses another path, ideally
/// evenly.
enum class RoutingPolicy { rail, ecmp, balanced, adaptive, spray };

struct RoutingOptions {
  RoutingPolicy policy = RoutingPolicy::rail;
  int qps = 1;             ///< queue pairs per connection; each carries an equal part (split mode)
  bool polarised = false;  ///< every switch hashes with the same seed
  std::uint64_t seed = 1;
};

}  // namespace railyard::topology
