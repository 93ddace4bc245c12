#pragma once

#include <string>

#include "core/config/json_value.hpp"
#include "placement/model/model.hpp"

namespace railyard::placement {

/// Whether a file is a config.json of Hugging Face's transformers and not a model file of ours.
[[nodiscard]] bool is_hugging_face(const core::JsonValue& root);

/// The model of such a file: model types llama, mistral, mixtral, phi3, qwen2, qwen2_moe, qwen3,
/// qwen3_moe, deepseek_v2, deepseek_v3 and gpt2, with the defaults of their configuration classes
/// (transformers, src/transformers/models/*/configuration_*.py). `sequence` is the length before
/// positions were scaled. Throws InputError with every missing key, and for another model type.
[[nodiscard]] Model read_hugging_face(const core::JsonValue& root, const std::string& file);

}  // namespace railyard::placement
