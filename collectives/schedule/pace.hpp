#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "collectives/schedule/schedule.hpp"
#include "core/id.hpp"
#include "core/units.hpp"
#include "topology/cluster/device.hpp"

namespace railyard::collectives {

/// The time that a schedule takes because of the software that runs it, when it has its links to
/// itself. An engine delays a task to this time; slowdown by the fabric is added to it.
struct Pace {
  Time launch;   ///< until the first hop; includes the benchmark's overhead
  Time latency;  ///< consecutive hops, and filling of pipelines
  Time bytes;    ///< all bytes at the full rate
  LinkId bound;  ///< a link of the kind that limits this rate; none(): unknown
  /// What limits this rate if no link does: "round trips" or "channels per peer".
  std::string_view limit{};
  Time messages;  ///< part of `latency`: the cost per message of a sender with many peers
  /// Latency of a single transfer inside a node and between nodes, for engines that simulate each
  /// transfer.
  Time inside_hop, outside_hop;
  /// The kind of links over which the GPUs of a node communicate in the model, and to which its
  /// rate inside nodes refers.
  topology::LinkKind inside = topology::LinkKind::nvlink;

  [[nodiscard]] Time total() const { return launch + latency + bytes; }
  /// The largest part of the time if it is not `bytes`: "messages to peers" or "latency"; else "".
  [[nodiscard]] std::string_view delay() const {
    const Time rest = launch + latency - messages;
    if (bytes >= std::max(rest, messages)) return "";
    return messages > rest ? "messages to peers" : "latency";
  }
};

/// Returns the pace of a schedule; nothing if the model does not know the software that would run
/// it.
using PaceModel = std::function<std::optional<Pace>(const Schedule&)>;

}  // namespace railyard::collectives
