#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/probe/probe_run.hpp"
#include "hw/probe/host_timing.hpp"
#include "topology/node/host_memory.hpp"
#include "topology/node/node_spec.hpp"

namespace railyard::apps {

/// What `railyard probe` found of the host it runs on.
struct ProbedNode {
  topology::NodeSpec node;
  std::optional<topology::HostMemory> memory;  ///< ranks on cores: what their cache adds
  std::optional<hw::HostTiming> timing;        ///< ranks on cores, where it was measured
  std::string transport;                       ///< that its NICs speak: "infiniband", "roce", "tcp"
  std::vector<std::string> notes;              ///< what was assumed or left out, a sentence each
};

/// Describes this host: by NCCL's file or NCCL itself, by the driver, or its cores. `processes`:
/// of this run on this host. Throws InputError (flags, unreadable files), BackendError (the driver,
/// or NCCL where it was asked for, fails).
[[nodiscard]] ProbedNode probe_node(const ProbeFlags& flags, int processes, const Context& context);

}  // namespace railyard::apps
