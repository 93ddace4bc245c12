#include "core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

namespace railyard::core {
namespace {

TEST(Parallel, EveryIndexRunsOnceOnAWorkerWithinBounds) {
  for (const int threads : {0, 1, 2, 3, 8}) {
    std::vector<int> runs(1000, 0);
    std::vector<int> by_worker(8, 0);
    parallel_for(runs.size(), threads, [&](std::size_t index, std::size_t worker) {
      ++runs[index];
      ++by_worker.at(worker);  // a worker's calls follow each other
    });
    EXPECT_EQ(runs, std::vector<int>(1000, 1)) << threads;
    int sum = 0;
    for (const int n : by_worker) sum += n;
    EXPECT_EQ(sum, 1000);
    EXPECT_TRUE(threads > 1 || by_worker[0] == 1000) << threads;
  }
}

TEST(Parallel, NothingToDoStartsNothing) {
  parallel_for(0, 8, [](std::size_t, std::size_t) { FAIL(); });
}

TEST(Parallel, WhatTheLowestIndexThrewIsThrownAndAllBelowItHaveRun) {
  for (const int threads : {1, 2, 3, 8}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      std::vector<std::atomic<int>> runs(200);
      std::string text;
      try {
        parallel_for(runs.size(), threads, [&](std::size_t index, std::size_t) {
          ++runs[index];
          if (index == 37 || index == 38 || index >= 60)
            throw std::runtime_error(std::to_string(index));
        });
      } catch (const std::runtime_error& error) {
        text = error.what();
      }
      EXPECT_EQ(text, "37") << threads;
      for (std::size_t i = 0; i < 37; ++i) EXPECT_EQ(runs[i], 1) << i;
    }
  }
}

TEST(Parallel, AskingForNoNumberTakesOnePerCore) {
  EXPECT_GE(thread_count(0), 1);
  EXPECT_EQ(thread_count(5), 5);
}

}  // namespace
}  // namespace railyard::core
