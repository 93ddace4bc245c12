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

/// How long a schedule takes by the software that runs it, where nothing else uses its links: an
/// engine holds a task back to that, and what the fabric lacks comes on top.
struct Pace {
  Time launch;   ///< until the first hop; the benchmark's own overhead in it
  Time latency;  ///< hops one after another, and until pipelines are full
  Time bytes;    ///< of all bytes at the full rate
  LinkId bound;  ///< a link of the kind that sets that rate; none(): not known
  /// What sets that rate where no link does: "round trips", "channels per peer".
  std::string_view limit{};
  Time messages;  ///< part of `latency`: what each message costs a sender of many
  /// A single transfer's hop, for engines that follow each.
  Time inside_hop, outside_hop;
  /// By what GPUs of a node meet, as the model has it: of which links its rate inside speaks.
  topology::LinkKind inside = topology::LinkKind::nvlink;

  [[nodiscard]] Time total() const { return launch + latency + bytes; }
  /// The largest part of the time where that is not the bytes: "messages to peers" or "latency";
  /// else "".
  [[nodiscard]] std::string_view delay() const {
    const Time rest = launch + latency - messages;
    if (bytes >= std::max(rest, messages)) return "";
    return messages > rest ? "messages to peers" : "latency";
  }
};

/// The pace of a schedule; nothing where the model does not know who would run it.
using PaceModel = std::function<std::optional<Pace>(const Schedule&)>;

}  // namespace railyard::collectives
