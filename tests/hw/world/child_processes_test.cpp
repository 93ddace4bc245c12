#include "hw/world/child_processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace railyard::hw {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// What came of tasks.
struct Ended {
  std::map<std::size_t, std::string> results;
  std::map<std::size_t, ProcessEnd> lost;
};

Ended run(std::vector<std::size_t> tasks, int count,
          const std::function<std::string(std::size_t)>& work) {
  Ended ended;
  run_in_processes(
      {.tasks = std::move(tasks),
       .run = work,
       .done = [&](std::size_t task, const std::string& text) { ended.results[task] = text; },
       .lost = [&](std::size_t task, const ProcessEnd& end) { ended.lost[task] = end; }},
      count);
  return ended;
}

TEST(ChildProcesses, EachTaskRunsOnceOutsideThisProcess) {
  const pid_t own = getpid();
  for (const int count : {1, 3}) {
    const Ended ended = run({4, 2, 7}, count, [&](std::size_t task) {
      return getpid() == own ? "here" : std::to_string(task * task);
    });
    EXPECT_THAT(ended.results, UnorderedElementsAre(Pair(2, "4"), Pair(4, "16"), Pair(7, "49")));
    EXPECT_THAT(ended.lost, IsEmpty());
  }
}

TEST(ChildProcesses, ATaskThatEndsItsProcessCostsNoOther) {
  const Ended ended = run({0, 1, 2, 3}, 1, [](std::size_t task) {
    if (task == 1) raise(SIGKILL);
    if (task == 2) _exit(5);
    return std::string("done");
  });
  EXPECT_THAT(ended.results, UnorderedElementsAre(Pair(0, "done"), Pair(3, "done")));
  ASSERT_EQ(ended.lost.size(), 2u);
  EXPECT_EQ(ended.lost.at(1).signal, SIGKILL);
  EXPECT_EQ(ended.lost.at(2).signal, std::nullopt);
  EXPECT_EQ(ended.lost.at(2).exit_code, 5);
}

TEST(ChildProcesses, TasksOfOneProcessRunInTheirOrder) {
  std::vector<std::size_t> order;
  run_in_processes({.tasks = {5, 3, 9},
                    .run = [](std::size_t) { return std::string(); },
                    .done = [&](std::size_t task, const std::string&) { order.push_back(task); },
                    .lost = {}},
                   1);
  EXPECT_THAT(order, ElementsAre(5, 3, 9));
}

TEST(ChildProcesses, WhatIsThrownOnAResultGoesToTheCaller) {
  const ChildTasks tasks{
      .tasks = {0, 1},
      .run = [](std::size_t) { return std::string(); },
      .done = [](std::size_t, const std::string&) { throw std::runtime_error("full disk"); },
      .lost = {}};
  EXPECT_THROW(run_in_processes(tasks, 1), std::runtime_error);
}

}  // namespace
}  // namespace railyard::hw
