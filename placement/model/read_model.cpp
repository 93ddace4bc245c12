#include "core/config/config_path.hpp"
#include "core/config/json_value.hpp"
#include "core/config/text_file.hpp"
#include "placement/model/hugging_face.hpp"
#include "placement/model/model.hpp"
#include "placement/model/model_fields.hpp"

namespace railyard::placement {

Model read_model(const std::string& reference, const std::string& referring_file) {
  const auto path = core::resolve_config(reference, "models", referring_file, "/model");
  const std::string text = core::read_text_file(path);
  const core::JsonValue root = core::parse_json(text, path.string());
  if (is_hugging_face(root)) return read_hugging_face(root, path.string());
  return core::read_config_text<Model>(text, path.string());
}

}  // namespace railyard::placement
