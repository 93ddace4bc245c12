#pragma once

#include <optional>
#include <vector>

#include "placement/cost/pipeline.hpp"

namespace railyard::placement {

/// One pass of a chunk over a micro-batch.
struct PipelineWork {
  int chunk = 0, micro_batch = 0;
  char kind = 'F';     ///< F forward, B backward, W gradients of weights
  bool split = false;  ///< of B: the gradients of weights are a pass of their own
};

/// What a rank does in one go: a pass, or a forward and a backward pass of two micro-batches, whose
/// collectives run beside each other's computation (DualPipe).
struct PipelineSlot {
  PipelineWork work{};
  std::optional<PipelineWork> beside{};
};

/// What a rank does, in its order.
///   gpipe, 1f1b, zero_bubble (ZB-H1, arXiv 2401.10241: rank r makes gradients of weights from its
///   (r + 1)-th backward pass on)
///   interleaved  Megatron's: `ranks` micro-batches through one chunk, then through the next
///   dualpipe     rank r holds chunk r for the first half of the micro-batches, which enter at rank
///                0, and chunk ranks - 1 - r for the others, which enter at the last rank; the
///                eight parts of its order as in DeepSeek's published program
///                (github.com/deepseek-ai/DualPipe). Ranks even, micro-batches even and at least
///                twice the ranks.
[[nodiscard]] std::vector<PipelineSlot> rank_order(const Pipeline& pipeline, int rank);

}  // namespace railyard::placement
