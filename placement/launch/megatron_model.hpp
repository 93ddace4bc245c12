#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "placement/model/job.hpp"

namespace railyard::placement {

/// Megatron-LM's arguments for the model of a job, a line each: pretrain_gpt.py's, pretrain_t5.py's
/// for an encoder-decoder, examples/multimodal/train.py's for a model with a tower. Requires that
/// there are no megatron_model_gaps.
[[nodiscard]] std::vector<std::string> megatron_model_arguments(const Job& job);

/// A thing that Megatron-LM has no argument for, and what it could run instead.
struct ModelGap {
  std::string_view key;
  std::string what, hint;
};
[[nodiscard]] std::vector<ModelGap> megatron_model_gaps(const Job& job);

/// Where its arguments mean something near the model, a line each.
[[nodiscard]] std::vector<std::string> megatron_model_notes(const Job& job);

}  // namespace railyard::placement
