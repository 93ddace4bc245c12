#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/id.hpp"
#include "core/units.hpp"

namespace railyard::sim::packet {

/// A transfer that completed.
struct TransferRecord {
  std::uint32_t task = 0, channel = 0;
  std::uint32_t source = 0, destination = 0;  ///< ranks of the cluster
  Bytes bytes;
  Time start, end;      ///< when it was posted; when its last byte was in memory
  double slowdown = 0;  ///< its time over the time that it would take alone
  std::uint32_t traffic_class = 0;
};

/// The depth of a queue that is not empty.
struct QueueRecord {
  Time at;
  LinkId link;  ///< the bytes wait for it
  Bytes bytes;
};

/// Pauses of a queue of the sender of a link, which the device at its other end asked for.
struct PauseRecord {
  static constexpr int kControl = -1;
  LinkId link;
  int traffic_class = 0;  ///< of the queue; kControl: that of control packets
  std::uint64_t count = 0;
  Time total;
};

/// A port that packets waited at: bytes of its deepest queue, and pauses of its sender.
struct PortRecord {
  LinkId link;
  Bytes deepest;
  std::uint64_t pauses = 0;
  Time paused;
};

/// A transfer that took 1.1 times as long as on an empty network or longer, the port where it
/// waited, and the port that it waited for (find_waits); none() where it waited at its NIC or
/// inside its node.
struct VictimRecord {
  TransferRecord transfer;
  LinkId waited_at, cause;
  std::uint32_t connections = 0;  ///< that use the port it waited for
};

/// What a run notes beside its result. A run adds to it; concurrent runs need one each.
struct PacketRecords {
  bool wants_transfers = false;
  Time queue_interval;                    ///< 0: no queues
  std::vector<TransferRecord> transfers;  ///< in the order of their ends
  std::vector<QueueRecord> queues;        ///< in the order of time
  std::vector<PauseRecord> pauses;        ///< longest first
  std::vector<PortRecord> ports;          ///< those with a queue or a pause, by link
  std::vector<VictimRecord> victims;      ///< those that lost most time, at most kMostVictims
  static constexpr std::size_t kMostVictims = 50;
};

}  // namespace railyard::sim::packet
