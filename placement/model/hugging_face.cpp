#include "placement/model/hugging_face.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "placement/model/model_fields.hpp"

namespace railyard::placement {
namespace {

using core::JsonValue;

/// Reads the keys of a file and collects its problems.
class Keys {
 public:
  Keys(const JsonValue& root, const std::string& file) : root_(root), problems_(file) {}

  [[nodiscard]] std::optional<double> number(std::string_view key) {
    const JsonValue* value = root_.find(key);
    if (value == nullptr || value->is_null()) return std::nullopt;
    if (const auto* whole = std::get_if<std::int64_t>(&value->data))
      return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value->data)) return *real;
    problems_.add(fmt::format("/{}", key),
                  fmt::format("is {}, not a number", core::kind_name(*value)));
    return std::nullopt;
  }
  [[nodiscard]] std::optional<int> count(std::string_view key) {
    const auto value = number(key);
    if (!value) return std::nullopt;
    if (*value >= 0 && *value <= std::numeric_limits<int>::max() &&
        *value == static_cast<int>(*value))
      return static_cast<int>(*value);
    problems_.add(fmt::format("/{}", key), fmt::format("{} is not a count", *value));
    return std::nullopt;
  }
  [[nodiscard]] int needed(std::string_view key) {
    const auto value = count(key);
    if (!value && (root_.find(key) == nullptr || root_.find(key)->is_null()))
      problems_.add("", fmt::format("has no '{}'", key));
    return value.value_or(0);
  }
  [[nodiscard]] bool flag(std::string_view key, bool otherwise) {
    const JsonValue* value = root_.find(key);
    const bool* found = value == nullptr ? nullptr : std::get_if<bool>(&value->data);
    return found == nullptr ? otherwise : *found;
  }
  [[nodiscard]] std::string text(std::string_view key) {
    const JsonValue* value = root_.find(key);
    const auto* found = value == nullptr ? nullptr : std::get_if<std::string>(&value->data);
    return found == nullptr ? std::string() : *found;
  }
  /// Number of elements of the list `key` that are equal to `wanted`.
  [[nodiscard]] int occurrences(std::string_view key, std::string_view wanted) {
    const JsonValue* value = root_.find(key);
    const auto* list = value == nullptr ? nullptr : std::get_if<JsonValue::List>(&value->data);
    if (list == nullptr) return 0;
    return static_cast<int>(std::ranges::count_if(*list, [&](const JsonValue& one) {
      const auto* found = std::get_if<std::string>(&one.data);
      return found != nullptr && *found == wanted;
    }));
  }
  /// A number inside an object of the file; nothing if the object or the key is missing.
  [[nodiscard]] std::optional<double> inner(std::string_view object, std::string_view key) {
    const JsonValue* value = root_.find(object);
    if (value == nullptr || !std::holds_alternative<JsonValue::Object>(value->data))
      return std::nullopt;
    Keys keys(*value, {});
    return keys.number(key);
  }
  void add(std::string_view key, std::string message, std::string hint) {
    problems_.add(fmt::format("/{}", key), std::move(message), std::move(hint));
  }
  void throw_if_any() { problems_.throw_if_any(); }

 private:
  const JsonValue& root_;
  Diagnostics problems_;
};

/// The activation decides whether the MLP is gated only together with the architecture.
Mlp gated(Keys& keys) {
  const std::string activation = keys.text("hidden_act");
  if (activation.empty() || activation == "silu" || activation == "swish") return Mlp::swiglu;
  if (activation.starts_with("gelu")) return Mlp::geglu;
  keys.add("hidden_act", fmt::format("'{}' is not supported", activation), "silu or gelu");
  return Mlp::swiglu;
}

/// The keys that Llama and the models derived from it share.
Model llama_like(Keys& keys) {
  Model model;
  model.layers = keys.needed("num_hidden_layers");
  model.hidden = keys.needed("hidden_size");
  model.ffn = keys.needed("intermediate_size");
  model.heads = keys.needed("num_attention_heads");
  model.kv_heads = keys.count("num_key_value_heads").value_or(0);
  model.head_dim = keys.count("head_dim").value_or(0);
  model.vocabulary = keys.needed("vocab_size");
  model.rotary_base =
      keys.number("rope_theta").value_or(keys.inner("rope_parameters", "rope_theta").value_or(0));
  // The sequence length of training, before rotary positions were scaled.
  const auto original = keys.inner("rope_scaling", "original_max_position_embeddings");
  model.sequence =
      original ? static_cast<int>(*original) : keys.count("max_position_embeddings").value_or(0);
  model.mlp = gated(keys);
  model.norm = Norm::rms_norm;
  model.biases = false;
  model.tied_embeddings = keys.flag("tie_word_embeddings", false);
  model.dropout = keys.number("attention_dropout").value_or(0) > 0;
  return model;
}

Model mistral(Keys& keys) {
  Model model = llama_like(keys);
  model.window = keys.count("sliding_window").value_or(0);
  return model;
}

Model mixtral(Keys& keys) {
  Model model = mistral(keys);
  model.moe = MoeSpec{.experts = keys.needed("num_local_experts"),
                      .top_k = keys.needed("num_experts_per_tok"),
                      .ffn = model.ffn};
  return model;
}

Model qwen2(Keys& keys) {
  Model model = llama_like(keys);
  if (keys.flag("use_sliding_window", false)) {
    model.window = keys.count("sliding_window").value_or(0);
    const int first = keys.count("max_window_layers").value_or(0);
    model.window_layers = std::max(0, model.layers - first);
  }
  return model;
}

Model qwen3(Keys& keys) {
  Model model = qwen2(keys);
  model.qk_norm = true;
  return model;
}

void add_qwen_experts(Keys& keys, Model& model) {
  const int experts =
      keys.count("num_experts").value_or(keys.count("num_local_experts").value_or(0));
  if (experts == 0) keys.add("num_experts", "is missing", "the number of routed experts");
  if (keys.count("decoder_sparse_step").value_or(1) != 1)
    keys.add("decoder_sparse_step", "only 1 is supported: experts in every layer", "");
  model.moe = MoeSpec{.experts = experts,
                      .top_k = keys.needed("num_experts_per_tok"),
                      .ffn = keys.needed("moe_intermediate_size"),
                      .shared_ffn = keys.count("shared_expert_intermediate_size").value_or(0)};
}

Model qwen2_moe(Keys& keys) {
  Model model = qwen2(keys);
  add_qwen_experts(keys, model);
  return model;
}

Model qwen3_moe(Keys& keys) {
  Model model = qwen3(keys);
  add_qwen_experts(keys, model);
  return model;
}

/// Routed and shared experts with DeepSeek's key names.
MoeSpec deepseek_experts(Keys& keys, int experts) {
  const int ffn = keys.needed("moe_intermediate_size");
  const int groups = keys.count("n_group").value_or(1);
  const int limit = keys.count("topk_group").value_or(0);
  return {.experts = experts,
          .top_k = keys.needed("num_experts_per_tok"),
          .ffn = ffn,
          .shared_ffn = ffn * keys.count("n_shared_experts").value_or(0),
          .dense_layers = keys.count("first_k_dense_replace").value_or(0),
          .node_limit = limit < groups ? limit : 0};
}

Model deepseek(Keys& keys) {
  Model model = llama_like(keys);
  model.kv_heads = 0;  // latent attention expands keys and values to all heads
  model.head_dim = 0;
  model.mla = MlaSpec{.query_rank = keys.count("q_lora_rank").value_or(0),
                      .kv_rank = keys.needed("kv_lora_rank"),
                      .nope_dim = keys.needed("qk_nope_head_dim"),
                      .rope_dim = keys.needed("qk_rope_head_dim"),
                      .value_dim = keys.needed("v_head_dim")};
  const int experts = keys.count("n_routed_experts").value_or(0);
  if (experts == 0) return model;
  if (keys.count("moe_layer_freq").value_or(1) != 1)
    keys.add("moe_layer_freq", "only 1 is supported: experts in every layer", "");
  model.moe = deepseek_experts(keys, experts);
  return model;
}

Model glm4_moe(Keys& keys) {
  Model model = llama_like(keys);
  model.qk_norm = keys.flag("use_qk_norm", false);
  model.moe = deepseek_experts(keys, keys.needed("n_routed_experts"));
  return model;
}

Model gpt_oss(Keys& keys) {
  Model model = llama_like(keys);
  model.biases = keys.flag("attention_bias", true);
  model.window = keys.count("sliding_window").value_or(0);
  // Without the list every second layer has the window (transformers, GptOssConfig).
  const int listed = keys.occurrences("layer_types", "sliding_attention");
  model.window_layers = listed > 0 ? listed : model.layers / 2;
  model.moe = MoeSpec{
      .experts = keys.needed("num_local_experts"),
      .top_k =
          keys.count("num_experts_per_tok").value_or(keys.count("experts_per_token").value_or(0)),
      .ffn = model.ffn};
  if (model.moe->top_k == 0) keys.add("num_experts_per_tok", "is missing", "experts of a token");
  return model;
}

Model gpt2(Keys& keys) {
  Model model;
  model.layers = keys.needed("n_layer");
  model.hidden = keys.needed("n_embd");
  model.ffn = keys.count("n_inner").value_or(4 * model.hidden);
  model.heads = keys.needed("n_head");
  model.vocabulary = keys.needed("vocab_size");
  model.positions = keys.count("n_positions").value_or(keys.count("n_ctx").value_or(1024));
  model.sequence = model.positions;
  model.mlp = keys.text("activation_function") == "relu" ? Mlp::relu : Mlp::gelu;
  model.tied_embeddings = keys.flag("tie_word_embeddings", true);
  model.dropout = keys.number("resid_pdrop").value_or(0.1) > 0;
  return model;
}

using Read = Model (*)(Keys&);
constexpr std::array<std::pair<std::string_view, Read>, 14> kTypes{{{"llama", llama_like},
                                                                    {"mistral", mistral},
                                                                    {"mixtral", mixtral},
                                                                    {"phi3", mistral},
                                                                    {"qwen2", qwen2},
                                                                    {"qwen2_moe", qwen2_moe},
                                                                    {"qwen3", qwen3},
                                                                    {"qwen3_moe", qwen3_moe},
                                                                    {"deepseek_v2", deepseek},
                                                                    {"deepseek_v3", deepseek},
                                                                    {"kimi_k2", deepseek},
                                                                    {"glm4_moe", glm4_moe},
                                                                    {"gpt_oss", gpt_oss},
                                                                    {"gpt2", gpt2}}};

/// "meta-llama/Llama-3.1-8B" if the file has it, else the name of its folder, else the model type.
std::string name_of(Keys& keys, const std::string& file, const std::string& type) {
  const std::string name = keys.text("_name_or_path");
  if (!name.empty()) return name;
  const std::filesystem::path path(file);
  const std::string folder = path.parent_path().filename().string();
  if (path.stem() != "config") return path.stem().string();
  return folder.empty() || folder == "." || folder == ".." ? type : folder;
}

}  // namespace

bool is_hugging_face(const core::JsonValue& root) {
  return root.find("layers") == nullptr &&
         (root.find("model_type") != nullptr || root.find("architectures") != nullptr);
}

Model read_hugging_face(const core::JsonValue& root, const std::string& file) {
  Keys keys(root, file);
  const std::string type = keys.text("model_type");
  const auto* const known = std::find_if(kTypes.begin(), kTypes.end(),
                                         [&](const auto& one) { return one.first == type; });
  if (known == kTypes.end()) {
    std::vector<std::string_view> names;
    for (const auto& [name, read] : kTypes) names.push_back(name);
    throw InputError(file, "/model_type",
                     type.empty() ? std::string("is missing")
                                  : fmt::format("'{}' is not a supported architecture", type),
                     fmt::format("supported: {}; or write a model file (railyard schema model)",
                                 fmt::join(names, ", ")));
  }
  Model model = known->second(keys);
  keys.throw_if_any();
  model.name = name_of(keys, file, type);
  model.source = fmt::format("Hugging Face config.json, model_type {}", type);
  // Check it as if it were a model file.
  return core::read_config_text<Model>(core::write_config(model, ""), file);
}

}  // namespace railyard::placement
