#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace railyard::hw {

using OperationId = std::uint32_t;

/// Dependencies between operations, in CSR form.
class TaskGraph {
 public:
  using Edge = std::pair<OperationId, OperationId>;  ///< (first, then)

  TaskGraph() = default;
  /// Edges may repeat.
  TaskGraph(OperationId operations, std::vector<Edge> edges);

  [[nodiscard]] OperationId size() const { return static_cast<OperationId>(waits_for_.size()); }
  /// How many operations must be done before this one.
  [[nodiscard]] std::uint32_t waits_for(OperationId operation) const {
    return waits_for_[operation];
  }
  [[nodiscard]] std::span<const OperationId> successors(OperationId operation) const {
    return std::span(successors_)
        .subspan(first_successor_[operation],
                 first_successor_[operation + 1] - first_successor_[operation]);
  }
  /// Operations that wait for nothing, in order.
  [[nodiscard]] std::vector<OperationId> roots() const;

 private:
  std::vector<std::uint32_t> waits_for_;
  std::vector<std::uint64_t> first_successor_;
  std::vector<OperationId> successors_;
};

}  // namespace railyard::hw
