#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "placement/strategy.hpp"

namespace railyard::placement {

/// One chunk of a pipeline (rank c % pp holds chunk c): its passes over one micro-batch.
struct ChunkTimes {
  Time forward{};
  Time backward{};
  Time weight{};  ///< part of backward that only makes gradients of weights
};

/// A pipeline and how long a message takes between neighbours.
struct Pipeline {
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int ranks = 1;
  int interleave = 1;
  int micro_batches = 1;
  Time hop{};
  bool hop_blocks = true;  ///< a rank does nothing else while it sends and receives
};

/// A pass of the timeline: what a rank did when.
struct PipelinePass {
  int rank = 0, chunk = 0, micro_batch = 0;
  char kind = 'F';  ///< F forward, B backward, W gradients of weights
  Time begin{}, end{};
};

struct PipelineRun {
  Time total{};
  std::vector<PipelinePass> passes{};
};

/// Runs the schedule step by step: each rank does its passes in the order of the schedule, a pass
/// starts when the one before it on its rank is done and its input has arrived. gpipe, 1f1b,
/// interleaved (Megatron's order; needs micro_batches % ranks == 0) and zero_bubble (ZB-H1:
/// gradients of weights fill the end). dualpipe is known by its formula alone: throws InputError.
[[nodiscard]] PipelineRun run_pipeline(const Pipeline& pipeline,
                                       std::span<const ChunkTimes> chunks);

/// The same by formula, for a search. F, B, W of a rank's chunks together, k the slowest rank:
///   1f1b         m·(F+B+2h)k + sum over others of (F+B)/v + 2h(p-1)
///   gpipe        m·Fk + m·Bk + the others once, and hops
///   zero_bubble  others count F + B - 2W;  dualpipe (p/2 - 1)(2B + F - 3W)
/// h counts in the period where hops block, v times for interleaved chunks.
[[nodiscard]] Time pipeline_time(const Pipeline& pipeline, std::span<const ChunkTimes> ranks);

}  // namespace railyard::placement
