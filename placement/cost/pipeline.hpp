#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/units.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Times of one chunk (the layers between two messages; rank c % pp holds chunk c) for one
/// micro-batch.
struct ChunkTimes {
  Time forward{};
  Time backward{};
  Time weight{};  ///< part of `backward` that computes only weight gradients
};

/// A pipeline of one replica, and the time of a message between neighbours.
struct Pipeline {
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int ranks = 1;
  int interleave = 1;
  int micro_batches = 1;
  Time hop{};              ///< time of a message between neighbours
  bool hop_blocks = true;  ///< a rank computes nothing while it sends or receives
};

/// Collectives over the replicas of a chunk: per step, or per pass with ZeRO 3.
struct ChunkReplicas {
  Time gather{};     ///< all_gather of its weights
  Time reduce{};     ///< reduction of its gradients
  Time copies{};     ///< sum over copies of sharded state, after the last reduction
  int buckets = 1;   ///< number of sequential collectives of gather and reduce: its layers
  double share = 0;  ///< fraction of its speed that a pass loses during a collective
};

/// The CUDA stream of each rank for collectives over replicas.
struct ReplicaStream {
  std::vector<ChunkReplicas> chunks{};  ///< by chunk; empty: one replica
  bool overlaps = false;                ///< collectives overlap with passes; false: passes wait
                                        ///< for them
  bool every_pass = false;              ///< ZeRO 3: weights are gathered before each pass,
                                        ///< gradients reduced after it
  double share = 0;  ///< fraction of its speed that a pass loses during a collective
};

/// A pass in the timeline of a step.
struct PipelinePass {
  int rank = 0, chunk = 0, micro_batch = 0;
  char kind = 'F';  ///< F forward, B backward, W gradients of weights
  Time begin{}, end{};
  bool sends = false;        ///< whether its result is sent to a neighbour
  bool toward_next = false;  ///< to the next rank; false: to the previous one
  Time arrives{};            ///< arrival of the message, a hop after its start
};

/// A collective over replicas in the timeline of a step.
struct ReplicaCollectiveSpan {
  int rank = 0, chunk = 0;
  bool weights = false;  ///< weights; false: gradients
  Time begin{}, end{};
};

/// A simulated step of one pipeline.
struct PipelineRun {
  Time total{};  ///< the end of the last pass
  std::vector<PipelinePass> passes{};
  std::vector<ReplicaCollectiveSpan> replicas{};
  std::vector<Time> done{};  ///< by rank: end of its last pass, and of its last collective if they
                             ///< overlap
};

/// Simulates one step of a pipeline. Each rank performs its passes in the order of the schedule
/// (rank_order). A pass starts when the previous one on its rank is done and its input has arrived.
/// With hop_blocks a rank is busy until its message has arrived; otherwise it sends one message at
/// a time in each direction. With overlapping `replicas` the first pass of a chunk waits for its
/// weights layer by layer, and the gradients of its last pass are reduced layer by layer. With ZeRO
/// 3 this holds in every pass, and a layer's weights are gathered during the previous layer.
/// Gradients without overlap are included only with ZeRO 3. Throws InputError for interleaved
/// stages if the micro-batches are not a multiple of the ranks, and for dualpipe outside the limits
/// of rank_order.
[[nodiscard]] PipelineRun run_pipeline(const Pipeline& pipeline, std::span<const ChunkTimes> chunks,
                                       const ReplicaStream& replicas = {});

/// The same by formula, for searches. m micro-batches, p ranks, v chunks per rank, h a hop; F, B,
/// W: forward, backward and weight-gradient time of all chunks of a rank; k: the slowest rank; sums
/// are over the other ranks.
///   1f1b, interleaved  m(F+B)k + sum (F+B)/v
///   gpipe              m·Fk + sum F + m·Bk + sum B
///   zero_bubble        m(F+B)k + sum (F + B - 2W)
///   dualpipe           m(F+B)k + (p/2 - 1)(2B + F - 3W)
/// Example: 1f1b, p = 4, m = 8, F = 1 ms, B = 2 ms, h = 0: 8·3 + 3·3 = 33 ms. Added for hops that
/// block: 2h(m+p-2); h(m+1) for p = 2; h((2v-1)m + 2p - 3) for v > 1. For hops that do not block:
///   v = 1        2h(p-2), and (F+B)k is at least, for every d, the mean over the last d ranks of
///                (F+B) plus 2h(d-1)/d; zero_bubble adds at most 4h(p-1)
///   v > 1        2h(pv-1), and (F+B)k is at least h·v
///   gpipe        2h(p-1)
[[nodiscard]] Time pipeline_time(const Pipeline& pipeline, std::span<const ChunkTimes> ranks);

}  // namespace railyard::placement
