#include "hw/world/tcp_world.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <thread>
#include <unistd.h>

#include "core/diagnostic.hpp"
#include "hw/world/tcp_link.hpp"
#include "tests/free_port.hpp"

namespace railyard::hw {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The port of a world by its number, the same in all threads.
std::uint16_t port(int number) {
  static std::mutex mutex;
  static std::map<int, std::uint16_t> ports;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = ports.try_emplace(number);
  if (is_new) entry->second = railyard::testing::free_port();
  return entry->second;
}

TcpPlace place(std::uint32_t process, std::uint32_t processes, int number) {
  return {.process = process, .processes = processes, .address = "127.0.0.1", .port = port(number)};
}

constexpr Time kTimeout = Time::nanoseconds(10'000'000'000);

/// Runs `work` as each process of a world, in threads; what each threw, or "".
template <class Work>
std::vector<std::string> as_world(std::uint32_t processes, int number, Time timeout, Work work) {
  std::vector<std::string> errors(processes);
  std::vector<std::thread> threads;
  for (std::uint32_t process = 0; process < processes; ++process) {
    threads.emplace_back([&, process] {
      try {
        TcpWorld world(place(process, processes, number), timeout);
        work(world);
      } catch (const BackendError& error) {
        errors[process] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return errors;
}

TEST(TcpWorld, GathersBroadcastsAndComparesClocks) {
  const auto errors = as_world(4, 0, kTimeout, [](TcpWorld& world) {
    EXPECT_EQ(world.processes(), 4U);
    EXPECT_EQ(world.places().size(), 4U);
    for (const ProcessPlace& at : world.places()) EXPECT_EQ(at.pid, getpid());
    const std::string mine(world.process() * 3, 'x');  // of several lengths, one of them zero
    const auto all = world.gather(mine);
    if (world.process() == 0) {
      EXPECT_THAT(all, ElementsAre("", "xxx", "xxxxxx", "xxxxxxxxx"));
    } else {
      EXPECT_TRUE(all.empty());
    }
    EXPECT_EQ(world.broadcast(world.process() == 0 ? "from zero" : "ignored"), "from zero");
    // One machine has one clock, so worlds that ask one after the other must agree on the order:
    // process 0 asks before the first barrier, process 1 between the two, process 0 after.
    const Time before = world.now();
    world.barrier();
    const Time between = world.now();
    world.barrier();
    const Time after = world.now();
    std::vector<std::string> texts = world.gather(std::to_string(between.picoseconds()));
    if (world.process() != 0) return;
    // The clocks may differ by half of the shortest round trip: well below a millisecond here.
    const Time slack = Time::nanoseconds(1'000'000);
    for (const std::string& text : texts) {
      EXPECT_GE(Time::picoseconds(std::stoll(text)) + slack, before);
      EXPECT_LE(Time::picoseconds(std::stoll(text)), after + slack);
    }
  });
  EXPECT_THAT(errors, ElementsAre("", "", "", ""));
}

TEST(TcpWorld, WhoLeavesIsNamedByEveryProcess) {
  const auto errors = as_world(3, 1, kTimeout, [](TcpWorld& world) {
    world.barrier();
    if (world.process() == 2) return;
    world.barrier();
  });
  EXPECT_THAT(errors[0], HasSubstr("rank 2: barrier: it closed the connection"));
  EXPECT_EQ(errors[1], errors[0]);
}

TEST(TcpWorld, WhoDoesNotComeIsNamed) {
  try {
    const TcpWorld world(place(0, 3, 2), Time::nanoseconds(100'000'000));
    FAIL();
  } catch (const BackendError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("rank 0: start: rank 1, 2 did not come: no answer in time"));
  }
  try {
    const TcpWorld world(place(1, 3, 3), Time::nanoseconds(100'000'000));
    FAIL();
  } catch (const BackendError& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 1: start: connect to 127.0.0.1:"));
  }
}

TEST(TcpWorld, WhoHangsIsNamedWithinTheTimeout) {
  const auto errors = as_world(2, 4, Time::nanoseconds(300'000'000), [](TcpWorld& world) {
    if (world.process() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(800));
    world.barrier();
  });
  EXPECT_THAT(errors[0], HasSubstr("rank 1: barrier: no answer in time"));
  EXPECT_EQ(errors[1], errors[0]);
}

TEST(TcpWorld, TwoOfOneRankAreRefused) {
  std::vector<std::string> errors(3);
  std::vector<std::thread> threads;
  for (const std::uint32_t process : {0U, 1U, 1U}) {
    threads.emplace_back([&, index = threads.size(), process] {
      try {
        TcpWorld world(place(process, 3, 5), kTimeout);
        world.barrier();
      } catch (const BackendError& error) {
        errors[index] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(errors[0], HasSubstr("came as RANK 1 of WORLD_SIZE 3"));
  for (const std::string& error : errors) EXPECT_FALSE(error.empty());
}

TEST(TcpWorld, StrangersAtItsPortAreDroppedAndTheRunStarts) {
  const auto with_token = [](std::uint32_t process, const char* token) {
    TcpPlace at = place(process, 2, 6);
    at.token = token;
    return at;
  };
  std::vector<std::string> errors(3);
  const auto run = [&](std::size_t index, const TcpPlace& at) {
    try {
      TcpWorld world(at, kTimeout);
      world.barrier();
    } catch (const BackendError& error) {
      errors[index] = error.what();
    }
  };
  std::thread root([&] { run(0, with_token(0, "the job's own")); });
  const auto by = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  TcpLink silent, garbage;
  ASSERT_EQ(connect(silent, "127.0.0.1", port(6), by), "");
  ASSERT_EQ(connect(garbage, "127.0.0.1", port(6), by), "");
  ASSERT_EQ(garbage.send("GET / HTTP/1.0", by), "");
  run(1, with_token(1, "another job's"));  // takes nobody's place
  run(2, with_token(1, "the job's own"));
  root.join();
  EXPECT_EQ(errors[0], "");
  EXPECT_THAT(errors[1], HasSubstr("is RAILYARD_TOKEN the same on every process?"));
  EXPECT_EQ(errors[2], "");
}

TEST(TcpWorld, TheTokenIsTheLaunchersOrTheUsers) {
  const std::vector<const char*> names{"RANK",           "WORLD_SIZE",          "MASTER_ADDR",
                                       "RAILYARD_TOKEN", "TORCHELASTIC_RUN_ID", "SLURM_JOB_ID",
                                       "SLURM_PROCID",   "RAILYARD_BIND"};
  for (const char* name : names) unsetenv(name);
  setenv("RANK", "0", 1);
  setenv("WORLD_SIZE", "2", 1);
  setenv("MASTER_ADDR", "127.0.0.1", 1);
  EXPECT_EQ(tcp_place_of_environment()->token, "");
  setenv("SLURM_JOB_ID", "4711", 1);
  EXPECT_EQ(tcp_place_of_environment()->token, "");  // of the batch script, not of srun's tasks
  setenv("SLURM_PROCID", "0", 1);
  EXPECT_EQ(tcp_place_of_environment()->token, "4711");
  setenv("RAILYARD_TOKEN", "mine", 1);
  setenv("RAILYARD_BIND", "any", 1);
  EXPECT_EQ(tcp_place_of_environment()->token, "mine");
  EXPECT_EQ(tcp_place_of_environment()->bind, "any");
  setenv("RAILYARD_TOKEN", std::string(300, 'x').c_str(), 1);
  EXPECT_THROW((void)tcp_place_of_environment(), InputError);
  for (const char* name : names) unsetenv(name);
}

TEST(TcpWorld, TheEnvironmentSaysWhereAProcessIs) {
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LOCAL_RANK"})
    unsetenv(name);
  EXPECT_FALSE(tcp_place_of_environment());
  setenv("RANK", "3", 1);
  EXPECT_THROW((void)tcp_place_of_environment(), InputError);
  setenv("WORLD_SIZE", "8", 1);
  setenv("MASTER_ADDR", "node0", 1);
  setenv("MASTER_PORT", "1234", 1);
  setenv("LOCAL_RANK", "1", 1);
  const auto place = tcp_place_of_environment();
  ASSERT_TRUE(place);
  EXPECT_EQ(place->process, 3U);
  EXPECT_EQ(place->processes, 8U);
  EXPECT_EQ(place->address, "node0");
  EXPECT_EQ(place->port, 1234);
  EXPECT_EQ(place->local, 1);
  setenv("RANK", "8", 1);
  EXPECT_THROW((void)tcp_place_of_environment(), InputError);
  setenv("RANK", "one", 1);
  EXPECT_THROW((void)tcp_place_of_environment(), InputError);
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "LOCAL_RANK"})
    unsetenv(name);
}

}  // namespace
}  // namespace railyard::hw
