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

/// Cost of one pass over a part of the model on a rank: computation, the exposed part of
/// collectives (not overlapped) by dimension, and the number of kernels that the host launches.
struct PassCost {
  Time compute{};
  Time tp{}, cp{}, ep{};
  int kernels = 0;

  /// Time on the GPU: computation and exposed collectives.
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

/// Costs of one micro-batch. `recompute`: added to the backward pass by full or selective
/// recomputation. `scatter`: added to the backward pass if gradients are scattered after each
/// micro-batch (ZeRO 2 and 3).
struct LayerCost {
  PassCost forward{}, backward{}, recompute{}, scatter{};
};

/// All inputs of the cost formulas for one type of GPU.
struct TypeContext {
  const Job& job;
  const Processor& gpu;
  const CommunicationModel& communication;
  int gpus_per_node = 1;
  DimensionOrder order = kDefaultOrder;
  ProductTimes* products = nullptr;  ///< cache of product times for `gpu`; null: no cache
  int gpus = 0;  ///< GPUs of this type that a search may use; 0 outside searches over several
                 ///< types
  int kind = 0;  ///< index of the first type with equal hardware: types of one kind have equal
                 ///< costs

  /// Fraction of its rate that a collective reaches during a step, from the GPU's config:
  /// nvlink_in_step inside a node; network_in_step · crossing() between nodes.
  [[nodiscard]] double share_in_step(const GroupCollective& collective) const;
  /// Time of a collective during a step: the model's time / share_in_step. 0 without bytes or for a
  /// group of one.
  [[nodiscard]] Time collective(const GroupCollective& collective) const;
  /// Fraction of the network's rate that a ring over nodes reaches with this placement. 1 if
  /// members on a node are neighbours, which share a NIC. Otherwise the ring enters and leaves a
  /// node by different NICs: rail_crossing; times socket_crossing if its two members are in
  /// different halves of the node (sockets).
  [[nodiscard]] double crossing(const GroupShape& shape) const;
};

/// All inputs of the cost formulas: a job and the types of GPU of a cluster (A, B, ...). A
/// homogeneous cluster has one type.
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

/// A value per GPU type, or one for all. A view: it must not outlive its argument.
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
