#include "hw/local/task_graph.hpp"

#include <algorithm>

namespace railyard::hw {

TaskGraph::TaskGraph(OperationId operations, std::vector<Edge> edges)
    : waits_for_(operations), first_successor_(std::size_t{operations} + 1) {
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  successors_.reserve(edges.size());
  for (const auto& [first, then] : edges) {
    ++first_successor_[first + 1];
    ++waits_for_[then];
    successors_.push_back(then);
  }
  for (std::size_t i = 1; i < first_successor_.size(); ++i) {
    first_successor_[i] += first_successor_[i - 1];
  }
}

std::vector<OperationId> TaskGraph::roots() const {
  std::vector<OperationId> roots;
  for (OperationId i = 0; i < size(); ++i) {
    if (waits_for_[i] == 0) roots.push_back(i);
  }
  return roots;
}

}  // namespace railyard::hw
