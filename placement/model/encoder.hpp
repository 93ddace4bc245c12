#pragma once

#include "placement/model/job.hpp"

namespace railyard::placement {

/// The encoder of an encoder-decoder model as a Model of its own, so that the formulas for layers
/// apply to it. Sizes that the encoder does not give are those of the decoder. It has no
/// cross-attention and no causal mask. Requires model.encoder.
[[nodiscard]] Model encoder_model(const Model& model);
/// The job with encoder_model as its model and the encoder's sequence length. Requires
/// job.model.encoder.
[[nodiscard]] Job encoder_job(const Job& job);
/// Whether the encoder's input is text, which is looked up in the decoder's embedding. False if the
/// encoder has a stem (sound) or the model has no encoder.
[[nodiscard]] bool reads_text(const Model& model);

}  // namespace railyard::placement
