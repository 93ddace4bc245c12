#include <fmt/format.h>

#include <filesystem>

#include "core/config/config_path.hpp"
#include "core/config/json_value.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "placement/model/hugging_face.hpp"
#include "placement/model/model.hpp"
#include "placement/model/model_fields.hpp"

namespace railyard::placement {

namespace {

/// Throws InputError for "Qwen/Qwen2.5-14B", a Hugging Face repository: Railyard downloads nothing.
void refuse_repository(const std::string& reference, const std::string& referring_file) {
  const std::size_t slash = reference.find('/');
  const bool is_name = slash != std::string::npos && slash > 0 && reference.front() != '.' &&
                       reference.find('/', slash + 1) == std::string::npos &&
                       !reference.ends_with(".json");
  if (!is_name || std::filesystem::exists(reference)) return;
  throw InputError(referring_file, referring_file.empty() ? "--model" : "/model",
                   fmt::format("there is no file '{}'", reference),
                   "of a model of Hugging Face give the file config.json; 'railyard topo list "
                   "models' lists those that are shipped");
}

}  // namespace

Model read_model(const std::string& reference, const std::string& referring_file) {
  refuse_repository(reference, referring_file);
  const auto path = core::resolve_config(reference, "models", referring_file, "/model");
  const std::string text = core::read_text_file(path);
  const core::JsonValue root = core::parse_json(text, path.string());
  if (is_hugging_face(root)) return read_hugging_face(root, path.string());
  return core::read_config_text<Model>(text, path.string());
}

}  // namespace railyard::placement
