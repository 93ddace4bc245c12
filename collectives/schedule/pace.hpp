#pragma once

#include <functional>
#include <optional>
#include <string>

#include "collectives/schedule/schedule.hpp"
#include "core/id.hpp"
#include "core/units.hpp"
#include "topology/cluster/device.hpp"

namespace railyard::collectives {

/// How long a schedule takes by the software that runs it, where nothing else uses its links: an
/// engine holds a task back to that, and what the fabric lacks comes on top.
struct Pace {
  Time launch;                     ///< until the first hop; the benchmark's own overhead in it
  Time latency;                    ///< hops one after another, and until pipelines are full
  Time bytes;                      ///< of all bytes at the full rate
  LinkId bound;                    ///< a link of the kind that sets that rate; none(): not known
  bool waits_for_buffers = false;  ///< round trips set that rate: buffers in flight are full
  /// A single transfer's hop, for engines that follow each.
  Time inside_hop, outside_hop;
  /// By what GPUs of a node meet, as the model has it: of which links its rate inside speaks.
  topology::LinkKind inside = topology::LinkKind::nvlink;

  [[nodiscard]] Time total() const { return launch + latency + bytes; }
};

/// The pace of a schedule; nothing where the model does not know who would run it.
using PaceModel = std::function<std::optional<Pace>(const Schedule&)>;

}  // namespace railyard::collectives
