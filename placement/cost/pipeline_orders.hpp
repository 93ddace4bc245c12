#pragma once

#include <optional>
#include <vector>

#include "placement/cost/pipeline.hpp"

namespace railyard::placement {

/// One pass of a chunk for one micro-batch.
struct PipelineWork {
  int chunk = 0, micro_batch = 0;
  char kind = 'F';     ///< F forward, B backward, W gradients of weights
  bool split = false;  ///< kind B: weight gradients are a separate pass (W)
};

/// One entry in a rank's order: a pass, or a forward and a backward pass of two micro-batches, each
/// of which overlaps with the collectives of the other (DualPipe).
struct PipelineSlot {
  PipelineWork work{};
  std::optional<PipelineWork> beside{};
};

/// Order of the passes on a rank:
///   gpipe        all forward passes, then all backward passes
///   1f1b         warm-up, then one forward and one backward pass in turn
///   zero_bubble  1f1b with weight gradients as passes of their own, on rank r from its (r + 1)-th
///                backward pass on (ZB-H1, arXiv 2401.10241)
///   interleaved  Megatron-LM's: `ranks` micro-batches through one chunk, then through the next
///   dualpipe     The first half of the micro-batches enters at rank 0, where rank r has chunk r;
///                the second half enters at the last rank, where rank r has chunk ranks - 1 - r.
///                The eight parts of the order are those of DeepSeek's published program
///                (github.com/deepseek-ai/DualPipe). Requires an even number of ranks, and an even
///                number of micro-batches, at least twice the ranks.
[[nodiscard]] std::vector<PipelineSlot> rank_order(const Pipeline& pipeline, int rank);

}  // namespace railyard::placement
