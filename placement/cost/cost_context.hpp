#pragma once

#include <span>
#include <vector>

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
  PassCost& operator+=(const PassCost& other) {
    compute += other.compute;
    tp += other.tp;
    cp += other.cp;
    ep += other.ep;
    kernels += other.kernels;
    return *this;
  }
  PassCost& operator-=(const PassCost& other) {
    compute -= other.compute;
    tp -= other.tp;
    cp -= other.cp;
    ep -= other.ep;
    kernels -= other.kernels;
    return *this;
  }
};
[[nodiscard]] inline PassCost operator*(const PassCost& pass, int times) {
  return {.compute = pass.compute * times,
          .tp = pass.tp * times,
          .cp = pass.cp * times,
          .ep = pass.ep * times,
          .kernels = pass.kernels * times};
}

/// Forward and backward pass of one micro-batch; `recompute` is what the backward pass does again,
/// `scatter` what it does in addition where only shards of gradients are kept (ZeRO 2 and 3).
struct LayerCost {
  PassCost forward{}, backward{}, recompute{}, scatter{};
};

/// What costs on one type of GPU are computed from.
struct TypeContext {
  const Job& job;
  const Processor& gpu;
  const CommunicationModel& communication;
  int gpus_per_node = 1;
  DimensionOrder order = kDefaultOrder;
  ProductTimes* products = nullptr;  ///< of `gpu`, where many costs are asked for
  int gpus = 0;  ///< that may be used, where a search has several types to choose from
  int kind = 0;  ///< types of one kind have the same numbers, only their nodes differ in name

  /// The share of its rate that a collective has during a step, by the GPU's config:
  /// nvlink_in_step in a node, network_in_step and crossing() between nodes.
  [[nodiscard]] double share_in_step(const GroupCollective& collective) const;
  /// Time of a collective during a step: that of the model over share_in_step.
  [[nodiscard]] Time collective(const GroupCollective& collective) const;
  /// Of the network's rate, what a ring over nodes gets by how its members sit: neighbours share a
  /// NIC; others leave a node by another NIC than they enter (rail_crossing), two in the halves of
  /// a node across its sockets too (socket_crossing).
  [[nodiscard]] double crossing(const GroupShape& shape) const;
};

/// What the cost of a strategy is computed from: a job and the types of GPU that a cluster has, A,
/// B, ... A homogeneous cluster has one.
struct CostContext {
  CostContext(const TypeContext& only) : job(only.job), order(only.order), types{only} {}
  CostContext(const Job& its_job, const DimensionOrder& its_order)
      : job(its_job), order(its_order) {}
  const Job& job;
  DimensionOrder order;
  std::vector<TypeContext> types{};

  [[nodiscard]] const TypeContext& on(int type) const {
    return types[static_cast<std::size_t>(type)];
  }
};

/// A value for each type of GPU, or the one of a cluster of one type.
template <class T>
class ByType {
 public:
  ByType(const T& only) : all_(&only, 1) {}
  ByType(const std::vector<T>& all) : all_(all) {}
  [[nodiscard]] const T& operator[](std::size_t type) const { return all_[type]; }
  [[nodiscard]] const T& on(int type) const { return all_[static_cast<std::size_t>(type)]; }
  [[nodiscard]] std::size_t size() const { return all_.size(); }

 private:
  std::span<const T> all_;
};

}  // namespace railyard::placement
