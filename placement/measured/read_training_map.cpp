#include "placement/measured/read_training_map.hpp"

#include "core/config/config_path.hpp"
#include "placement/measured/training_map_fields.hpp"

namespace railyard::placement {

TrainingMap read_training_map(const std::string& reference) {
  return core::read_config<TrainingMap>(core::resolve_config(reference, "validation"));
}

}  // namespace railyard::placement
