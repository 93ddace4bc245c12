#pragma once

#include "placement/cost/communication.hpp"
#include "placement/cost/group_shapes.hpp"
#include "placement/model/job.hpp"
#include "placement/model/processor.hpp"
#include "placement/model/product_times.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// What one pass over a part of the model takes on a rank: the GPU's work, the collectives of each
/// dimension that stand in its way (hidden parts left out), and the kernels that the host launches.
struct PassCost {
  Time compute{};
  Time tp{}, cp{}, ep{};
  int kernels = 0;

  /// Time on the GPU's stream.
  [[nodiscard]] Time total() const { return compute + tp + cp + ep; }
  PassCost& operator+=(const PassCost& other);
  PassCost& operator-=(const PassCost& other);
};
[[nodiscard]] PassCost operator*(const PassCost& pass, int times);

/// Forward and backward pass of one micro-batch; `recompute` is what the backward pass does again.
struct LayerCost {
  PassCost forward{}, backward{}, recompute{};
};

/// What a cost is computed from.
struct CostContext {
  const Job& job;
  const Processor& gpu;
  const CommunicationModel& communication;
  int gpus_per_node = 1;
  DimensionOrder order = kDefaultOrder;
  ProductTimes* products = nullptr;  ///< of `gpu`, where many costs are asked for

  /// Time of a collective during a step: that of the model, longer by what the GPU's config says
  /// that collectives lose there (nvlink_in_step, network_in_step).
  [[nodiscard]] Time collective(const GroupCollective& collective) const;
  /// Of the network's rate, what a ring over nodes gets by how its members sit: neighbours share a
  /// NIC; others leave a node by another NIC than they enter (rail_crossing), two in the halves of
  /// a node across its sockets too (socket_crossing).
  [[nodiscard]] double crossing(const GroupShape& shape) const;
};

/// One layer of one micro-batch. Products and their collectives follow Megatron: QKV and the first
/// matrix of the MLP are cut by columns, projection and the second by rows; without sequence
/// parallelism an all_reduce after each, with it an all_gather before and a reduce_scatter behind.
[[nodiscard]] LayerCost layer_cost(const CostContext& context, const Strategy& strategy,
                                   const GroupShapes& shapes, bool with_experts);

/// The embedding (forward) of the first stage.
[[nodiscard]] LayerCost embedding_cost(const CostContext& context, const Strategy& strategy,
                                       const GroupShapes& shapes);
/// The head and the loss of the last stage.
[[nodiscard]] LayerCost head_cost(const CostContext& context, const Strategy& strategy,
                                  const GroupShapes& shapes);

}  // namespace railyard::placement
