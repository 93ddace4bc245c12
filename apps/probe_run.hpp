#pragma once

#include <optional>
#include <string>

#include "apps/context.hpp"
#include "apps/import_fabric.hpp"

namespace railyard::apps {

/// Flags of `railyard probe`.
struct ProbeFlags {
  std::string output, memory_rate, nccl_xml, fabric_file, libraries, root = "/";
  int nodes = 1;
  std::optional<int> ranks;
  ImportFabricFlags fabric;
};

/// Describes this machine and writes its files. Throws InputError (flags, unreadable files),
/// BackendError (the driver answers and then fails).
int run_probe(const ProbeFlags& flags, Context& context);

}  // namespace railyard::apps
