#include "collectives/nccl/timing/fit/read_system_map.hpp"

#include "collectives/nccl/timing/fit/system_map_fields.hpp"
#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/read_launch_mode.hpp"

namespace railyard::collectives::nccl {

SystemMap read_system_map(const std::string& reference) {
  auto map = core::read_config<SystemMap>(core::resolve_config(reference, "validation"));
  for (Harness& harness : map.harnesses) {
    try {
      harness.launch = topology::read_launch_cost(harness.launch_mode, "/harnesses");
    } catch (const InputError& error) {
      throw error.in_file(reference);
    }
  }
  return map;
}

}  // namespace railyard::collectives::nccl
