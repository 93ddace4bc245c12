#include "core/config/config_path.hpp"
#include "placement/model/model.hpp"
#include "placement/model/model_fields.hpp"

namespace railyard::placement {

Model read_model(const std::string& reference, const std::string& referring_file) {
  return core::read_config<Model>(
      core::resolve_config(reference, "models", referring_file, "/model"));
}

}  // namespace railyard::placement
