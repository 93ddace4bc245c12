#pragma once

#include <string>

#include "core/config/json_value.hpp"
#include "placement/model/model.hpp"

namespace railyard::placement {

/// Whether a file is a config.json of Hugging Face transformers, not one of Railyard's model files.
[[nodiscard]] bool is_hugging_face(const core::JsonValue& root);

/// Reads a config.json of the model types llama, mistral, mixtral, phi3, qwen2, qwen2_moe, qwen3,
/// qwen3_moe, deepseek_v2, deepseek_v3 and gpt2. Missing keys get the defaults of the configuration
/// classes (transformers, src/transformers/models/*/configuration_*.py). With scaled rotary
/// positions `sequence` is the length before scaling. Throws InputError that lists every missing
/// required key, or for another model type.
[[nodiscard]] Model read_hugging_face(const core::JsonValue& root, const std::string& file);

}  // namespace railyard::placement
