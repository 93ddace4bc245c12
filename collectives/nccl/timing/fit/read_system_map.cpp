#include "collectives/nccl/timing/fit/read_system_map.hpp"

#include "collectives/nccl/timing/fit/system_map_fields.hpp"
#include "core/config/config_path.hpp"

namespace railyard::collectives::nccl {

SystemMap read_system_map(const std::string& reference) {
  return core::read_config<SystemMap>(core::resolve_config(reference, "validation"));
}

}  // namespace railyard::collectives::nccl
