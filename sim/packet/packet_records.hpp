#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/id.hpp"
#include "core/units.hpp"

namespace railyard::sim::packet {

/// A completed transfer.
struct TransferRecord {
  std::uint32_t task = 0, channel = 0;
  std::uint32_t source = 0, destination = 0;  ///< ranks of the cluster
  Bytes bytes;
  Time start, end;      ///< post time, and the time at which its last byte was in memory
  double slowdown = 0;  ///< duration / duration on an empty network
  std::uint32_t traffic_class = 0;
};

/// The depth of a non-empty queue at a time.
struct QueueRecord {
  Time at;
  LinkId link;  ///< the link for which the bytes wait
  Bytes bytes;
};

/// The pauses of one queue at the sender of a link, which were requested by the device at the end
/// of the link.
struct PauseRecord {
  static constexpr int kControl = -1;
  LinkId link;
  int traffic_class = 0;  ///< class of the queue; kControl: the queue of control packets
  std::uint64_t count = 0;
  Time total;
};

/// A port with waiting packets: the depth of its deepest queue, and the pauses of its sender.
struct PortRecord {
  LinkId link;
  Bytes deepest;
  std::uint64_t pauses = 0;
  Time paused;
};

/// A transfer that took at least 1.1 times as long as on an empty network: the port at which it
/// waited, and the port that caused the wait (find_waits). Both are none() if it waited at its NIC
/// or inside its node.
struct VictimRecord {
  TransferRecord transfer;
  LinkId waited_at, cause;
  std::uint32_t connections = 0;  ///< number of connections that use the port `cause`
};

/// Optional records of a run. A run appends to them; concurrent runs need separate records.
struct PacketRecords {
  bool wants_transfers = false;
  Time queue_interval;                    ///< 0: queues are not recorded
  std::vector<TransferRecord> transfers;  ///< in the order of their completion
  std::vector<QueueRecord> queues;        ///< in the order of time
  std::vector<PauseRecord> pauses;        ///< longest first
  std::vector<PortRecord> ports;          ///< ports with a queue or a pause, by link
  std::vector<VictimRecord> victims;      ///< transfers with the largest delays, at most
                                          ///< kMostVictims
  static constexpr std::size_t kMostVictims = 50;
};

}  // namespace railyard::sim::packet
