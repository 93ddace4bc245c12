#pragma once

#include <optional>
#include <string>

#include "apps/cli/context.hpp"
#include "apps/topo/import_fabric.hpp"
#include "core/units.hpp"

namespace railyard::apps {

/// Flags of `railyard probe`.
struct ProbeFlags {
  std::string output, memory_rate, nic_rate, nccl_xml, fabric_file, libraries, root = "/";
  std::string nccl_dump = "auto";  ///< or yes, no
  std::string timeout = "60 s";
  std::optional<int> nodes;
  std::optional<int> ranks;
  ImportFabricFlags fabric;
};

/// Describes this machine, or under a launcher each host with processes, and writes a cluster file
/// of them. Throws InputError (flags, unreadable files) and BackendError (the driver or NCCL fails
/// after it answered).
int run_probe(const ProbeFlags& flags, Context& context);

}  // namespace railyard::apps
