#pragma once

#include "placement/model/job.hpp"

namespace railyard::placement {

/// The encoder's transformer as a model, to be counted with the formulas of layers: the decoder's
/// sizes where the encoder gives none, no cross-attention, every token sees every other. The model
/// has an encoder.
[[nodiscard]] Model encoder_model(const Model& model);
/// Its work in a job: sequences of its own length.
[[nodiscard]] Job encoder_job(const Job& job);
/// Its tokens are words, looked up in the decoder's embedding.
[[nodiscard]] bool reads_text(const Model& model);

}  // namespace railyard::placement
