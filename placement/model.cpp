#include "placement/model.hpp"

#include "core/config_path.hpp"
#include "placement/model_fields.hpp"

namespace railyard::placement {

Model read_model(const std::string& reference, const std::string& referring_file) {
  return core::read_config<Model>(
      core::resolve_config(reference, "models", referring_file, "/model"));
}

}  // namespace railyard::placement
