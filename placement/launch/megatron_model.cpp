#include "placement/launch/megatron_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace railyard::placement {
namespace {

using Lines = std::vector<std::string>;

void add(Lines& out, std::string_view flag, int value) {
  out.push_back(fmt::format("{} {}", flag, value));
}

// The vision encoders in examples/multimodal/config.py.
struct VisionType {
  std::string_view name;
  int layers, hidden, ffn, heads;
};
constexpr std::array kVisionTypes{
    VisionType{"clip", 24, 1024, 4096, 16}, VisionType{"siglip", 27, 1152, 4304, 16},
    VisionType{"internvit", 45, 3200, 12800, 25}, VisionType{"radio", 32, 1280, 5120, 16},
    VisionType{"cradio-g", 40, 1536, 6144, 24}};

// The language models in the same file: the inner size that identifies them, their projector, and
// their prompt format (multimodal_args.py).
struct LanguageType {
  std::string_view name;
  int hidden, ffn, projector;
  std::string_view prompts;
};
constexpr std::array kLanguageTypes{LanguageType{"mistral_7b", 4096, 14336, 14336, "mistral"},
                                    LanguageType{"llama3.1_8b", 4096, 14336, 4096, "llama3p1"},
                                    LanguageType{"yi-34b", 7168, 20480, 20480, "nvlm-yi-34b"},
                                    LanguageType{"qwen2.0_72B", 8192, 29568, 29568, "qwen2p0"},
                                    LanguageType{"qwen2.5_7B", 3584, 18944, 3584, "qwen2p5"}};

const VisionType* vision_type(const TowerSpec& t) {
  // Features may come from one or two layers before the last.
  const auto found = std::ranges::find_if(kVisionTypes, [&](const VisionType& v) {
    return v.hidden == t.hidden && v.ffn == t.ffn && v.heads == t.heads && !is_gated(t.mlp) &&
           std::abs(v.layers - t.layers) <= 2;
  });
  return found == kVisionTypes.end() ? nullptr : &*found;
}

/// A language model with the same sizes; among several the one with the model's projector.
const LanguageType* language_type(const Model& m) {
  const LanguageType* near = nullptr;
  for (const LanguageType& type : kLanguageTypes) {
    if (type.hidden != m.hidden || type.ffn != m.ffn || m.mlp != Mlp::swiglu) continue;
    if (type.projector == m.towers.front().projector_hidden) return &type;
    if (near == nullptr) near = &type;
  }
  return near;
}

/// Patches per side of a picture; 0 if the tokens, with or without a class token, are not a square
/// number.
int patches_a_side(const TowerSpec& t) {
  for (const int tokens : {t.tokens - 1, t.tokens}) {
    const int side = static_cast<int>(std::lround(std::sqrt(tokens)));
    if (side > 0 && side * side == tokens) return side;
  }
  return 0;
}
int patch_width(const TowerSpec& t) {
  constexpr int kColours = 3;
  const int width = static_cast<int>(std::lround(std::sqrt(t.patch / kColours)));
  return width * width * kColours == t.patch ? width : 0;
}

void picture_arguments(const Job& job, Lines& out) {
  const TowerSpec& t = job.model.towers.front();
  const LanguageType& language = *language_type(job.model);
  out.push_back(fmt::format("--language-model-type {}", language.name));
  out.push_back(fmt::format("--tokenizer-prompt-format {}", language.prompts));
  out.push_back(fmt::format("--vision-model-type {}", vision_type(t)->name));
  const int pixels = patches_a_side(t) * patch_width(t);
  add(out, "--img-h", pixels);
  add(out, "--img-w", pixels);
  add(out, "--patch-dim", patch_width(t));
  add(out, "--decoder-seq-length", job.sequence);
  if (t.projected > 0 && t.projected == t.tokens - 1)
    out.emplace_back("--disable-vision-class-token");
  if (t.frozen) out.emplace_back("--freeze-ViT");
  out.emplace_back("--use-te");
}

void position_arguments(const Job& job, Lines& out) {
  const Model& m = job.model;
  const int encoder = m.encoder ? m.encoder->tokens : 0;
  add(out, "--max-position-embeddings", std::max({m.positions, job.sequence, encoder}));
  if (m.relative_buckets > 0) {
    out.emplace_back("--position-embedding-type relative");
    add(out, "--relative-attention-num-buckets", m.relative_buckets);
  } else if (m.positions == 0) {
    out.emplace_back("--position-embedding-type rope");
    // Megatron-LM reads an integer; its default is 10,000.
    if (m.rotary_base > 0)
      out.push_back(fmt::format("--rotary-base {}", std::llround(m.rotary_base)));
  }
}

void expert_arguments(const Job& job, Lines& out) {
  const MoeSpec& moe = *job.model.moe;
  add(out, "--num-experts", moe.experts);
  add(out, "--moe-router-topk", moe.top_k);
  add(out, "--moe-ffn-hidden-size", moe.ffn);
  if (moe.shared_ffn > 0) add(out, "--moe-shared-expert-intermediate-size", moe.shared_ffn);
  out.push_back(
      fmt::format("--moe-layer-freq ([0]*{}+[1]*{})", moe.dense_layers, job.model.moe_layers()));
  if (moe.capacity > 0) out.push_back(fmt::format("--moe-expert-capacity-factor {}", moe.capacity));
  // The default dispatcher gathers all tokens on all ranks.
  out.emplace_back("--moe-token-dispatcher-type alltoall");
  if (job.precision == Precision::bf16 || is_narrow(job.precision))
    out.emplace_back("--moe-grouped-gemm");
}

void latent_arguments(const MlaSpec& mla, Lines& out) {
  out.emplace_back("--multi-latent-attention");
  if (mla.query_rank > 0) add(out, "--q-lora-rank", mla.query_rank);
  add(out, "--kv-lora-rank", mla.kv_rank);
  add(out, "--qk-head-dim", mla.nope_dim);
  add(out, "--qk-pos-emb-head-dim", mla.rope_dim);
  add(out, "--v-head-dim", mla.value_dim);
}

/// Arguments of 8-bit and 4-bit recipes (megatron/training/arguments.py), and of edge layers in 16
/// bits.
void narrow_arguments(const Job& job, Lines& out) {
  if (!is_narrow(job.precision)) return;
  const bool four = job.precision == Precision::nvfp4;
  if (job.precision == Precision::fp8) out.emplace_back("--fp8-format hybrid");
  if (job.precision == Precision::mxfp8)
    out.insert(out.end(), {"--fp8-format e4m3", "--fp8-recipe mxfp8"});
  if (four) out.insert(out.end(), {"--fp4-format e2m1", "--fp4-recipe nvfp4"});
  if (job.narrow_weights) out.emplace_back(four ? "--fp4-param-gather" : "--fp8-param-gather");
  if (!job.has_edges()) return;
  out.emplace_back("--first-last-layers-bf16");
  add(out, "--num-layers-at-start-in-bf16", job.first_layers);
  add(out, "--num-layers-at-end-in-bf16", job.last_layers);
}

/// Types and kernels that differ from Megatron-LM's defaults.
void kernel_arguments(const Job& job, Lines& out) {
  if (!job.model.dropout) {
    out.emplace_back("--attention-dropout 0");
    out.emplace_back("--hidden-dropout 0");
  }
  if (job.attention == AttentionKernel::unfused) out.emplace_back("--attention-backend unfused");
  const bool wide = job.gradients == GradientType::fp32;
  if (job.precision == Precision::fp16 && wide)
    out.emplace_back("--accumulate-allreduce-grads-in-fp32");
  if ((job.precision == Precision::bf16 || is_narrow(job.precision)) && !wide)
    out.emplace_back("--grad-reduce-in-bf16");
  if (job.gradient_sum == GradientSum::separate)
    out.emplace_back("--no-gradient-accumulation-fusion");
  narrow_arguments(job, out);
  if (job.fp8_act_input) out.emplace_back("--activation-func-fp8-input-store");
  if (job.loss != LossKernel::unfused) {
    out.emplace_back("--cross-entropy-loss-fusion");
    out.push_back(fmt::format("--cross-entropy-fusion-impl {}",
                              job.loss == LossKernel::te ? "te" : "native"));
  }
  if (job.cuda_graphs) out.emplace_back("--cuda-graph-impl local");
}

void encoder_gaps(const Model& m, std::vector<ModelGap>& gaps) {
  const EncoderSpec& e = *m.encoder;
  if (!e.stem.empty())
    gaps.push_back({"encoder", "an encoder of sound (pretrain_t5.py reads text)",
                    "a script of your own with these sizes"});
  const auto other = [](int size, int decoder) { return size > 0 && size != decoder; };
  if (other(e.layers, m.layers) || other(e.hidden, m.hidden) || other(e.ffn, m.ffn) ||
      other(e.heads, m.heads) || other(e.head_dim, m.dim()))
    gaps.push_back({"encoder", "an encoder of other sizes than its decoder (pretrain_t5.py)",
                    "a script of your own with these sizes"});
  if (e.frozen)
    gaps.push_back({"encoder", "a frozen encoder (pretrain_t5.py)", "\"frozen\": false"});
}

void tower_gaps(const Model& m, std::vector<ModelGap>& gaps) {
  const std::string script = "a script of your own with these sizes";
  const TowerSpec& t = m.towers.front();
  if (m.towers.size() > 1)
    gaps.push_back({"towers", "more than one tower (examples/multimodal)", script});
  if (vision_type(t) == nullptr)
    gaps.push_back({"towers",
                    fmt::format("a tower of the shape of {} (examples/multimodal/config.py has "
                                "clip, siglip, internvit, radio, cradio-g)",
                                t.name),
                    script});
  if (patches_a_side(t) == 0 || patch_width(t) == 0)
    gaps.push_back(
        {"towers", fmt::format("pictures of {} tokens, which are no square", t.tokens), script});
  if (language_type(m) == nullptr)
    gaps.push_back({"towers",
                    fmt::format("a language model of hidden {} and an MLP of {} behind a tower "
                                "(examples/multimodal/config.py has mistral_7b, llama3.1_8b, "
                                "yi-34b, qwen2.0_72B, qwen2.5_7B)",
                                m.hidden, m.ffn),
                    script});
}

}  // namespace

std::vector<std::string> megatron_model_arguments(const Job& job) {
  const Model& m = job.model;
  Lines out;
  add(out, "--hidden-size", m.hidden);
  add(out, "--ffn-hidden-size", m.ffn);
  add(out, "--num-attention-heads", m.heads);
  if (!m.mla && m.head_dim > 0 && m.head_dim * m.heads != m.hidden)
    add(out, "--kv-channels", m.head_dim);
  if (m.kv() != m.heads && !m.mla) {
    out.emplace_back("--group-query-attention");
    add(out, "--num-query-groups", m.kv());
  }
  add(out, "--vocab-size", m.vocabulary);
  position_arguments(job, out);
  if (is_gated(m.mlp)) out.emplace_back("--swiglu");
  if (m.norm == Norm::rms_norm) out.emplace_back("--normalization RMSNorm");
  // With latent attention the flag adds the norms of the compressed queries, keys and values.
  if (m.qk_norm || m.mla) out.emplace_back("--qk-layernorm");
  if (!m.biases) out.emplace_back("--disable-bias-linear");
  if (!m.tied_embeddings) out.emplace_back("--untie-embeddings-and-output-weights");
  kernel_arguments(job, out);
  if (m.mla) latent_arguments(*m.mla, out);
  if (m.moe) expert_arguments(job, out);
  if (!m.towers.empty()) picture_arguments(job, out);
  return out;
}

std::vector<ModelGap> megatron_model_gaps(const Job& job) {
  std::vector<ModelGap> gaps;
  if (job.model.encoder) encoder_gaps(job.model, gaps);
  if (!job.model.towers.empty()) tower_gaps(job.model, gaps);
  const auto in_words = [](const PrecisionRule& rule) {
    return rule.part == LayerPart::layer && rule.layers == LayerRange::edge &&
           rule.precision == Precision::bf16;
  };
  if (!std::ranges::all_of(job.precisions, in_words))
    gaps.push_back({"precisions",
                    "precisions of parts of a layer (a TransformerEngine precision file does)",
                    "rules for layers at the edge in bf16 alone"});
  return gaps;
}

std::vector<std::string> megatron_model_notes(const Job& job) {
  const Model& m = job.model;
  std::vector<std::string> notes;
  if (m.encoder) notes.emplace_back("for pretrain_t5.py");
  if (!m.towers.empty()) notes.emplace_back("for examples/multimodal/train.py");
  if (m.mlp == Mlp::geglu)
    notes.emplace_back("Megatron-LM has no gelu gate: --swiglu is as large, and another function");
  if (m.mlp == Mlp::relu)
    notes.emplace_back("Megatron-LM has no relu: its gelu is as large, and another function");
  if (m.moe && m.moe->node_limit > 0)
    notes.push_back(
        fmt::format("experts of a token on at most {0} nodes: --moe-router-group-topk {0}, "
                    "and --moe-router-num-groups the nodes of an expert group",
                    m.moe->node_limit));
  for (const TowerSpec& t : m.towers) {
    const VisionType* type = vision_type(t);
    if (type != nullptr && type->layers != t.layers)
      notes.push_back(
          fmt::format("{} has {} layers, the model {}", type->name, type->layers, t.layers));
    const LanguageType* language = language_type(m);
    if (language != nullptr && language->projector != t.projector_hidden)
      notes.push_back(fmt::format("the projector of {} is {} wide, the model's {}", language->name,
                                  language->projector, t.projector_hidden));
    if (t.inputs != 1)
      notes.push_back(
          fmt::format("{} pictures a sequence are up to the data (--max-num-tiles)", t.inputs));
  }
  return notes;
}

}  // namespace railyard::placement
