#include "hw/probe/memory_rate.hpp"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

namespace railyard::hw {
namespace {

using Clock = std::chrono::steady_clock;

/// Larger than a core's share of any known cache (EPYC 9684X: 12 MiB per core).
constexpr std::size_t kBuffer = std::size_t{32} << 20;
constexpr int kRounds = 8;

}  // namespace

MemoryRate measure_memory_rate(int cores) {
  std::vector<std::unique_ptr<std::byte[]>> from;
  std::vector<std::unique_ptr<std::byte[]>> to;
  for (int core = 0; core < cores; ++core) {
    from.push_back(std::make_unique<std::byte[]>(kBuffer));
    to.push_back(std::make_unique<std::byte[]>(kBuffer));
  }
  std::vector<double> seconds;
  Clock::time_point begin;
  // Runs when all threads have arrived, at the start and the end of each round.
  int arrivals = 0;
  const auto clock = [&]() noexcept {
    if (arrivals++ % 2 != 0)
      seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    begin = Clock::now();
  };
  std::barrier together(cores, clock);
  std::vector<std::thread> threads;
  for (int core = 0; core < cores; ++core) {
    threads.emplace_back([&, core] {
      const auto index = static_cast<std::size_t>(core);
      for (int round = 0; round < kRounds; ++round) {
        together.arrive_and_wait();
        std::memcpy(to[index].get(), from[index].get(), kBuffer);
        together.arrive_and_wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double best = *std::ranges::min_element(seconds);
  const double bytes = static_cast<double>(kBuffer) * cores;
  // Rounded to 10 Mb/s, far below its variation between runs.
  const auto megabits = static_cast<std::int64_t>(bytes * 8 / best / 1e7) * 10;
  return {.all_cores = Bandwidth::megabits_per_second(std::max<std::int64_t>(megabits, 10)),
          .cores = cores};
}

}  // namespace railyard::hw
