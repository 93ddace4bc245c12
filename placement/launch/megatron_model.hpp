#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostic.hpp"
#include "placement/model/job.hpp"

namespace railyard::placement {

/// Megatron-LM's arguments for the model of a job, one per line: for pretrain_gpt.py, for
/// pretrain_t5.py if the model is an encoder-decoder, for examples/multimodal/train.py if it has a
/// tower. Requires that megatron_model_gaps is empty.
[[nodiscard]] std::vector<std::string> megatron_model_arguments(const Job& job);

/// A property of a model that Megatron-LM has no argument for, and a model that it could run
/// instead.
struct ModelGap {
  std::string_view key;
  std::string what, hint;
};
[[nodiscard]] std::vector<ModelGap> megatron_model_gaps(const Job& job);

/// Arguments that describe the model only approximately, one line each.
[[nodiscard]] std::vector<std::string> megatron_model_notes(const Job& job);

}  // namespace railyard::placement
