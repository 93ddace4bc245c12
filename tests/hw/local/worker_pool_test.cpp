#include "hw/local/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>

namespace railyard::hw {
namespace {

TEST(TaskGraph, CountsEachEdgeOnce) {
  const TaskGraph graph(4, {{0, 2}, {1, 2}, {0, 2}, {2, 3}});
  EXPECT_EQ(graph.waits_for(2), 2u);
  EXPECT_EQ(graph.waits_for(3), 1u);
  EXPECT_EQ(graph.roots(), (std::vector<OperationId>{0, 1}));
  ASSERT_EQ(graph.successors(0).size(), 1u);
  EXPECT_EQ(graph.successors(0)[0], 2u);
  EXPECT_TRUE(graph.successors(3).empty());
}

/// `width` rows of `length` operations; each waits for its left neighbour and the one above that.
TaskGraph lattice(OperationId width, OperationId length) {
  std::vector<TaskGraph::Edge> edges;
  for (OperationId row = 0; row < width; ++row) {
    for (OperationId i = 1; i < length; ++i) {
      edges.emplace_back(row * length + i - 1, row * length + i);
      edges.emplace_back((row + 1) % width * length + i - 1, row * length + i);
    }
  }
  return TaskGraph(width * length, std::move(edges));
}

TEST(WorkerPool, RunsEachOperationOnceAfterAllThatItWaitsFor) {
  const TaskGraph graph = lattice(7, 200);
  for (const int threads : {1, 2, 5}) {
    WorkerPool pool(threads);
    for (int repeat = 0; repeat < 3; ++repeat) {
      const auto done = std::make_unique<std::atomic<int>[]>(graph.size());
      std::atomic<int> early{0};
      pool.prepare(graph);
      pool.run([&](OperationId id) {
        const OperationId i = id % 200;
        if (i > 0 && done[id - 1].load() != 1) ++early;
        if (i > 0 && done[((id / 200 + 1) % 7) * 200 + i - 1].load() != 1) ++early;
        ++done[id];
      });
      EXPECT_EQ(early.load(), 0);
      for (OperationId id = 0; id < graph.size(); ++id) ASSERT_EQ(done[id].load(), 1) << id;
    }
  }
}

TEST(WorkerPool, HandsOnAnExceptionAndStaysUsable) {
  const TaskGraph graph = lattice(2, 10);
  WorkerPool pool(2);
  pool.prepare(graph);
  EXPECT_THROW(pool.run([](OperationId id) {
    if (id == 5) throw std::runtime_error("five");
  }),
               std::runtime_error);
  std::atomic<int> ran{0};
  pool.prepare(graph);
  pool.run([&](OperationId) { ++ran; });
  EXPECT_EQ(ran.load(), 20);
}

}  // namespace
}  // namespace railyard::hw
