#pragma once

#include <string>
#include <vector>

#include "apps/cli/flags.hpp"
#include "apps/output/rows.hpp"
#include "sim/packet/packet_options.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// Flags of --fidelity packet. "": not given.
struct PacketFlags {
  std::string transport, congestion, config, path_choice;
  std::vector<std::string> storms;
  bool no_fast_forward = false;
  std::string flows, queues, pauses;  ///< files to write
  std::string queue_interval;
  /// Whether a file is written that describes a single run.
  [[nodiscard]] bool wants_records() const {
    return !flows.empty() || !queues.empty() || !pauses.empty();
  }
};

/// Adds the flags of PacketFlags, except those of records.
void add_packet_flags(FlagSet app, PacketFlags& flags);
/// --no-fast-forward.
void add_fast_forward_flag(FlagSet app, PacketFlags& flags);
/// Flags of files that a run writes in addition to its rows.
void add_packet_record_flags(FlagSet app, PacketFlags& flags);

/// Throws InputError if one of these flags is given and the fidelity does not support it.
void check_packet_flags(const PacketFlags& flags, std::string_view fidelity);

/// Transport, congestion control and parameters of a packet simulation. Adds the file that it reads
/// to `provenance`. Throws InputError for unknown names, for a file of another transport, and for a
/// fabric with TCP if no transport is given.
[[nodiscard]] sim::packet::PacketOptions packet_options(const topology::Cluster& cluster,
                                                        const PacketFlags& flags,
                                                        Provenance& provenance);

}  // namespace railyard::apps
