#include "core/config/config_path.hpp"
#include "placement/capacity/goodput/failure_model.hpp"
#include "placement/capacity/goodput/failure_model_fields.hpp"

namespace railyard::placement {

FailureModel read_failure_model(const std::string& reference) {
  return core::read_config<FailureModel>(core::resolve_config(reference, "failures"));
}

}  // namespace railyard::placement
