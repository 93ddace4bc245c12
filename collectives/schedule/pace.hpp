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

/// The time of a schedule without other traffic, as limited by the software that runs it: the sum
/// of launch, latency and bytes. An engine lets a task take at least this long. Slowdown by the
/// fabric is added.
struct Pace {
  Time launch;   ///< from the start to the first hop; includes the overhead of the benchmark
  Time latency;  ///< consecutive hops, and the time to fill pipelines
  Time bytes;    ///< all bytes at the full rate
  LinkId bound;  ///< a link of the kind that limits this rate; none() if unknown
  /// What limits this rate if no link does: "round trips" or "channels per peer".
  std::string_view limit{};
  Time messages;  ///< the part of `latency` that is the cost per message of a sender with many
                  ///< peers
  /// Latency of a single transfer inside a node and between nodes, for engines that simulate each
  /// transfer.
  Time inside_hop, outside_hop;
  /// The kind of links over which the GPUs of a node communicate in the time model.
  topology::LinkKind inside = topology::LinkKind::nvlink;

  [[nodiscard]] Time total() const { return launch + latency + bytes; }
  /// The largest part of the time if it is not `bytes`: "messages to peers" or "latency". Otherwise
  /// "".
  [[nodiscard]] std::string_view delay() const {
    const Time rest = launch + latency - messages;
    if (bytes >= std::max(rest, messages)) return "";
    return messages > rest ? "messages to peers" : "latency";
  }
};

/// Returns the pace of a schedule; nothing if there is no model of the software that would run it.
using PaceModel = std::function<std::optional<Pace>(const Schedule&)>;

}  // namespace railyard::collectives
