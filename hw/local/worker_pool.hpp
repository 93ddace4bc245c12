#pragma once

#include <functional>
#include <memory>
#include <span>

#include "hw/local/task_graph.hpp"

namespace railyard::hw {

/// Threads that run task graphs. Each thread has a stack of ready operations, continues with the
/// operations that its own make ready, and steals from the others if it has none.
class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] int threads() const;
  /// Prepares `graph` for start. Everything that it refers to must live until the run has ended.
  void prepare(const TaskGraph& graph);
  /// Runs the prepared graph: `execute` is called once for each operation, on any thread, after all
  /// that it waits for. Returns when all are done. An exception of `execute` is rethrown here.
  void run(const std::function<void(OperationId)>& execute);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace railyard::hw
