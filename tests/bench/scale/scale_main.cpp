// Large flow simulations on the shipped three-tier rail CLOS, ECMP hashing on. Prints one JSON
// line: CPU seconds by phase, wall seconds of the run, simulated time, what bound it, peak memory.
//   railyard_scale ring RANKS | all_to_all RANKS | groups RANKS GROUP_SIZE [THREADS]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "collectives/algorithms/algorithm.hpp"
#include "sim/flow/flow_network.hpp"
#include "tests/bench/process_cost.hpp"
#include "topology/cluster/cluster.hpp"

namespace {

using railyard::Rank;
using railyard::collectives::Collective;
using railyard::collectives::Group;
using railyard::collectives::Kind;
using railyard::collectives::Schedule;

/// Bytes of a collective here: 1 GiB an AllReduce, 1 MiB to each peer an all-to-all.
Collective collective_of(const std::string& what, std::size_t ranks) {
  if (what == "ring")
    return {.kind = Kind::all_reduce, .bytes = railyard::Bytes(std::int64_t{1} << 30)};
  return {.kind = Kind::all_to_all,
          .bytes = railyard::Bytes(static_cast<std::int64_t>(ranks) << 20)};
}

std::vector<Schedule> schedules_of(const railyard::topology::Cluster& cluster,
                                   const std::string& what, std::size_t ranks, std::size_t size) {
  std::vector<Schedule> schedules;
  for (std::size_t first = 0; first < ranks; first += size) {
    std::vector<Rank> members;
    for (std::size_t i = 0; i < size; ++i) members.emplace_back(first + i);
    const railyard::collectives::Request request{
        cluster, std::make_shared<const Group>(cluster, members), collective_of(what, size), {}};
    schedules.push_back(build_schedule(what == "ring" ? "ring" : "direct", request));
  }
  return schedules;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (argc < 3 || (what == "groups" && argc < 4)) {
    std::fprintf(stderr,
                 "usage: %s ring RANKS | all_to_all RANKS | groups RANKS GROUP_SIZE [THREADS]\n",
                 argv[0]);
    return 2;
  }
  const auto ranks = static_cast<std::size_t>(std::atoll(argv[2]));
  const std::size_t size = what == "groups" ? static_cast<std::size_t>(std::atoll(argv[3])) : ranks;
  using railyard::bench::cpu_seconds;
  const double begin = cpu_seconds();
  const auto cluster = railyard::topology::build_cluster(
      railyard::topology::read_cluster("clos_rail_h100", static_cast<int>((ranks + 7) / 8)));
  const double built = cpu_seconds();
  const auto schedules = schedules_of(cluster, what, ranks, size);
  const double scheduled = cpu_seconds();
  railyard::sim::FlowOptions options;
  options.routing.policy = railyard::topology::RoutingPolicy::ecmp;
  if (argc > 4) options.threads = std::atoi(argv[4]);
  std::vector<railyard::collectives::Task> tasks;
  for (const auto& schedule : schedules)
    tasks.push_back({.schedule = &schedule, .start = {}, .name = {}});
  const auto wall = std::chrono::steady_clock::now();
  const auto run = railyard::sim::FlowNetwork(cluster, options).run(tasks);
  const double ended = cpu_seconds();
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - wall;
  railyard::Time last;
  for (const auto& task : run.tasks) last = std::max(last, task.finish);
  std::printf(
      "{\"workload\":\"%s\",\"ranks\":%zu,\"group\":%zu,\"threads\":%d,\"simulated_s\":%.9g,"
      "\"build_cpu_s\":%.3g,\"schedule_cpu_s\":%.3g,\"run_cpu_s\":%.4g,\"run_wall_s\":%.4g,\"peak_"
      "MB\":%.0f,\"bound_by\":\"%s\",\"notes\":\"%s\"}\n",
      what.c_str(), ranks, size, options.threads, last.seconds(), built - begin, scheduled - built,
      ended - scheduled, waited.count(), railyard::bench::peak_megabytes(),
      run.tasks.front().bound_by.text.c_str(), run.notes.empty() ? "" : run.notes.front().c_str());
  return 0;
}
