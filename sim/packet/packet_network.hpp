#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "collectives/schedule/executor.hpp"
#include "sim/packet/packet_options.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::sim {

/// Runs schedules packet by packet, with queues, ECN and congestion control, pauses and losses
/// (docs/models/packet.md). A transfer is a message on the queue pairs of its two participants. It
/// is posted when the replay rule allows it and the software overhead of its kind of path has
/// passed. run() is thread-safe.
///
/// Example: 4096 bytes over one switch with links of 400 Gb/s, without latency, headers and
/// overhead, store and forward, take 2 * 81.92 ns.
class PacketNetwork final : public collectives::Executor {
 public:
  /// The cluster must outlive the network. Throws InputError if options contradict each other.
  PacketNetwork(const topology::Cluster& cluster, packet::PacketOptions options = {});
  [[nodiscard]] std::string_view name() const override { return "packet"; }
  /// Throws InputError if the simulation would not fit into memory, or if the engine does
  /// (Engine::run).
  [[nodiscard]] collectives::Run run(std::span<const collectives::Task> tasks) override;

 private:
  [[nodiscard]] std::optional<collectives::Run> run_fast(const collectives::Task& task) const;
  [[nodiscard]] packet::PacketOptions options_for(std::span<const collectives::Task> tasks) const;

  const topology::Cluster& cluster_;
  packet::PacketOptions options_;
};

/// Estimated memory in bytes of a simulation of concurrent schedules. An upper bound as long as
/// queues stay within the buffers of the switches.
[[nodiscard]] std::uint64_t packet_memory(const topology::Cluster& cluster,
                                          std::span<const collectives::Schedule* const> schedules,
                                          const packet::PacketOptions& options);

}  // namespace railyard::sim
