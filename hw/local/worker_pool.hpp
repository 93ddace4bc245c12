#pragma once

#include <functional>
#include <memory>
#include <span>

#include "hw/local/task_graph.hpp"

namespace railyard::hw {

/// Threads that work through task graphs. Each keeps a stack of operations that are ready, follows
/// what its own operations make ready, and steals from the others when it has none.
class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] int threads() const;
  /// Readies `graph` for start; what it points to must live until the run is over.
  void prepare(const TaskGraph& graph);
  /// Runs the prepared graph: `execute` is called once for each operation, on any thread, after all
  /// that it waits for. Returns when all are done. An exception of `execute` is rethrown here.
  void run(const std::function<void(OperationId)>& execute);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace railyard::hw
