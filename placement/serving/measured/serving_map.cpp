#include "placement/serving/measured/serving_map.hpp"

#include "core/config/config_path.hpp"

namespace railyard {

template const core::StructType& core::struct_type<placement::serving::ServingRule>();
template const core::StructType& core::struct_type<placement::serving::ServingMap>();

namespace placement::serving {

ServingMap read_serving_map(const std::string& reference) {
  return core::read_config<ServingMap>(core::resolve_config(reference, "validation"));
}

}  // namespace placement::serving
}  // namespace railyard
