#include "hw/world/task_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <mutex>
#include <sstream>

#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

/// Tasks 0 .. count-1. One that is lost comes again.
class Tasks {
 public:
  explicit Tasks(std::size_t count) : count_(count) {}

  TaskQueue queue() {
    return {.next = [this] { return next(); },
            .digest = [](std::size_t task) { return "digest " + std::to_string(task); },
            .done =
                [this](std::size_t task, const std::string& result) {
                  const std::lock_guard lock(mutex_);
                  results[task] = result;
                },
            .lost =
                [this](std::size_t task) {
                  const std::lock_guard lock(mutex_);
                  lost.push_back(task);
                },
            .note =
                [this](const std::string& text) {
                  const std::lock_guard lock(mutex_);
                  notes.push_back(text);
                }};
  }

  std::map<std::size_t, std::string> results;
  std::vector<std::size_t> lost;
  std::vector<std::string> notes;

 private:
  std::optional<std::size_t> next() {
    const std::lock_guard lock(mutex_);
    if (next_ < count_) return next_++;
    return std::nullopt;
  }

  std::mutex mutex_;
  std::size_t count_, next_ = 0;
};

std::string square(std::size_t task) { return std::to_string(task * task); }
std::string same_digest(std::size_t task) { return "digest " + std::to_string(task); }

TEST(TaskServer, RanksRunEveryTaskOnce) {
  Tasks tasks(5);
  const SingleProcessWorld world;
  TaskServer server(world, 3, tasks.queue());
  server.start();
  // Two threads of rank 0's host stand for a rank of two threads, and a third for one of one.
  std::thread two([&] {
    work_for_rank_zero(server.invitation(), 1, 2, {.run = square, .digest = same_digest});
  });
  work_for_rank_zero(server.invitation(), 2, 1, {.run = square, .digest = same_digest});
  two.join();
  server.finish();
  EXPECT_THAT(tasks.results,
              ElementsAre(Pair(0, "0"), Pair(1, "1"), Pair(2, "4"), Pair(3, "9"), Pair(4, "16")));
  EXPECT_THAT(tasks.lost, IsEmpty());
  EXPECT_THAT(tasks.notes, IsEmpty());
}

TEST(TaskServer, ARankWithOtherInputsRefusesItsTaskAndIsNamed) {
  Tasks tasks(3);
  const SingleProcessWorld world;
  TaskServer server(world, 1, tasks.queue());
  server.start();
  work_for_rank_zero(server.invitation(), 0, 1,
                     {.run = square, .digest = [](std::size_t) { return "other"; }});
  server.finish();
  EXPECT_THAT(tasks.results, IsEmpty());
  EXPECT_THAT(tasks.lost, ElementsAre(0));
  EXPECT_THAT(tasks.notes, ElementsAre(HasSubstr("rank 0 (process ")));
  EXPECT_THAT(tasks.notes, ElementsAre(HasSubstr("its input files or its railyard differ")));
}

TEST(TaskServer, TheTaskOfARankThatDiesIsLost) {
  Tasks tasks(1);
  const SingleProcessWorld world;
  TaskServer server(world, 1, tasks.queue());
  server.start();
  {
    // A rank that reads its task and closes the connection.
    std::istringstream words(server.invitation());
    std::string token, address, text;
    std::uint16_t port = 0;
    words >> token >> port >> address;
    TcpLink link;
    const auto soon = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    ASSERT_EQ(connect(link, address, port, soon), "");
    ASSERT_EQ(link.send(token + " 7", soon), "");
    ASSERT_EQ(link.receive(text, soon), "");
    EXPECT_EQ(text, "0 digest 0");
  }
  server.finish();
  EXPECT_THAT(tasks.lost, ElementsAre(0));
  EXPECT_THAT(tasks.notes, ElementsAre("a rank is gone; another rank runs its task"));
}

TEST(TaskServer, ARankNamesRankZeroWhereItCannotBeReached) {
  try {
    work_for_rank_zero("token 1", 1, 1, {.run = square, .digest = same_digest});
    FAIL();
  } catch (const BackendError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 0 cannot be reached at"));
  }
}

}  // namespace
}  // namespace railyard::hw
