#include "apps/validate/training/training_map.hpp"

#include "apps/validate/training/training_map_fields.hpp"
#include "core/config/config_path.hpp"

namespace railyard::apps {

TrainingMap read_training_map(const std::string& reference) {
  return core::read_config<TrainingMap>(core::resolve_config(reference, "validation"));
}

}  // namespace railyard::apps
