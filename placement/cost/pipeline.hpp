#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "placement/strategy/strategy.hpp"

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

/// Collectives over the replicas of a chunk in a step (with ZeRO 3: in a pass).
struct ChunkReplicas {
  Time gather{};     ///< of its weights
  Time reduce{};     ///< of its gradients
  Time copies{};     ///< of its gradients once more behind the last of every pass: over copies
  int buckets = 1;   ///< in so many one after the other: its layers
  double share = 0;  ///< of its speed, what a pass loses while one runs beside it
};

/// The stream of a rank on which collectives over replicas run.
struct ReplicaStream {
  std::vector<ChunkReplicas> chunks{};  ///< none where there is one replica
  bool overlaps = false;                ///< beside the passes, else the passes wait for them
  bool every_pass = false;              ///< ZeRO 3: weights before each pass, gradients behind each
  double share = 0;  ///< of its speed, what a pass loses while one runs beside it
};

/// A pass of the timeline: what a rank did when.
struct PipelinePass {
  int rank = 0, chunk = 0, micro_batch = 0;
  char kind = 'F';  ///< F forward, B backward, W gradients of weights
  Time begin{}, end{};
  bool sends = false;        ///< to a neighbour
  bool toward_next = false;  ///< to the rank behind it in the pipeline, else to the one before
  Time arrives{};            ///< when the message is there; it has left a hop before
};

/// A collective over replicas of the timeline.
struct ReplicaPass {
  int rank = 0, chunk = 0;
  bool weights = false;  ///< else gradients
  Time begin{}, end{};
};

struct PipelineRun {
  Time total{};  ///< the end of the last pass
  std::vector<PipelinePass> passes{};
  std::vector<ReplicaPass> replicas{};
  std::vector<Time> done{};  ///< by rank: its last pass, and its last gradients where they overlap
};

/// Runs the schedule step by step: each rank does its passes in the order of the schedule
/// (rank_order), a pass starts when the one before it on its rank is done and its input has
/// arrived. Messages hold their rank where hops block, else one follows the other each way. With
/// `replicas` that overlap, the first pass of a chunk waits for its weights layer by layer, and the
/// gradients of its last pass follow each layer; with ZeRO 3 a layer's weights are gathered while
/// the layer before computes, in every pass. Gradients that do not overlap are not in it, but with
/// ZeRO 3. Throws InputError for interleaved stages whose micro-batches are not a multiple of the
/// ranks, and for dualpipe with what it cannot have (rank_order).
[[nodiscard]] PipelineRun run_pipeline(const Pipeline& pipeline, std::span<const ChunkTimes> chunks,
                                       const ReplicaStream& replicas = {});

/// The same by formula, for a search. F, B, W of a rank's chunks together, k the slowest rank:
///   1f1b, interleaved  m(F+B)k + sum over others of (F+B)/v
///   gpipe        m·Fk + m·Bk + the others once
///   zero_bubble  others count F + B - 2W;  dualpipe (p/2 - 1)(2B + F - 3W)
/// Hops h that block: 2h(m+p-2) (between two ranks h(m+1)); of v chunks h((2v-1)m + 2p - 3).
/// Hops that do not: of one chunk a micro-batch takes no less than (sum over the d last ranks of
/// (F+B) + 2h(d-1))/d for every d, and 2h(p-2); zero_bubble no more than 4h(p-1); of v chunks
/// 2h(pv-1) and no less than h·v a micro-batch; gpipe 2h(p-1).
[[nodiscard]] Time pipeline_time(const Pipeline& pipeline, std::span<const ChunkTimes> ranks);

}  // namespace railyard::placement
