#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "core/id.hpp"
#include "sim/maxmin/fluid.hpp"
#include "sim/wire.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/routing/router.hpp"

namespace railyard::sim {

/// Bytes of a message from one GPU to another.
struct MessagePart {
  Rank from, to;
  double bytes = 0;
};

/// Messages whose parts share the links of a cluster max-min fairly. Each part is a stream of Fluid
/// over the path that the cluster's file gives it. A message arrives `start` after its last part
/// has ended. For callers with a clock of their own that send messages as they proceed. Times are
/// in seconds and never decrease from call to call. Deterministic.
///
/// Example: two messages of 50 MB leave at 0 s over one link of 50 GB/s, with start 1 ms. Each runs
/// at 25 GB/s, and both arrive at 3 ms.
class MessageTransfers {
 public:
  /// The cluster must outlive it.
  explicit MessageTransfers(const topology::Cluster& cluster, double start = 0);

  /// Sends a message at `now`. Returns its number, which counts from 0 in the order of sending.
  /// Throws InputError if the fabric has no path.
  std::size_t send(double now, std::span<const MessagePart> parts);
  /// Advances to the next arrival, or to `until` if no message arrives by then. Appends the numbers
  /// of the arrived messages, in the order of arrival and sending, and returns the time.
  double advance(double until, std::vector<std::size_t>& arrived);

 private:
  /// A message whose parts have all ended: its arrival time and its number.
  using Through = std::pair<double, std::size_t>;

  const std::vector<topology::Hop>& path(Rank from, Rank to);
  void end_streams(std::span<const StreamId> streams);

  const topology::Cluster& cluster_;
  double start_;
  topology::Router router_;
  WireFactors wire_;
  Fluid fluid_;
  std::map<std::pair<Rank, Rank>, std::vector<topology::Hop>> paths_{};
  std::vector<std::size_t> parts_left_{};         ///< by message
  std::vector<std::size_t> message_of_stream_{};  ///< by stream
  std::priority_queue<Through, std::vector<Through>, std::greater<>> through_{};
};

}  // namespace railyard::sim
