#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "placement/jobs/leaf_groups.hpp"
#include "placement/jobs/node_choice.hpp"
#include "tests/placement/engine_of_rings.hpp"
#include "tests/placement/mapping_cases.hpp"

namespace railyard::placement::testing {

/// A model of four layers that one GPU holds.
inline Job four_layers(int batch) {
  Job job{.name = "small", .batch = batch, .sequence = 2048};
  job.model = {.name = "small",
               .layers = 4,
               .hidden = 2048,
               .ffn = 8192,
               .heads = 16,
               .vocabulary = 32000,
               .sequence = 2048,
               .tied_embeddings = false};
  return job;
}

/// The job on a cluster of small nodes (NICs of 50 GB/s, two nodes to a leaf), on `gpus` of the
/// GPUs that the occupancy leaves; nothing: on all.
inline PlaceProblem small_problem(int nodes, int gpus_per_node, Occupancy occupancy,
                                  std::optional<int> gpus = {}) {
  using namespace literals;
  PlaceProblem problem{.cluster = topology::testing::small_cluster(
                           without_headers(topology::testing::leaf_spine(2)), nodes, gpus_per_node),
                       .routing = {},
                       .job = four_layers(16)};
  const NodeFabric fabric{.gpus_per_node = static_cast<std::uint32_t>(gpus_per_node),
                          .nvlink = 240_GBps,
                          .nics = 50_GBps * gpus_per_node,
                          .nic_count = static_cast<std::uint32_t>(gpus_per_node),
                          .overheads = {}};
  problem.usable = all_gpus(problem.cluster);
  problem.types = {{.gpu = read_processor("h100_sxm"), .fabric = fabric, .node = "small"}};
  problem.communication = {ClosedForm(fabric)};
  if (!gpus) return with_occupancy(std::move(problem), std::move(occupancy));
  return with_occupancy(std::move(problem), std::move(occupancy), {&*gpus, 1});
}

/// A job without traffic that runs on these nodes.
inline RunningJob tenant(std::string name, std::string nodes) {
  RunningJob one;
  one.name = std::move(name);
  one.nodes = std::move(nodes);
  return one;
}

/// Every collective takes a second for each leaf (of two nodes) that its group is on.
class SecondsPerLeaf final : public collectives::Executor {
 public:
  explicit SecondsPerLeaf(const topology::Cluster& cluster) : cluster_(cluster) {}
  std::string_view name() const override { return "seconds per leaf"; }
  collectives::Run run(std::span<const collectives::Task> tasks) override {
    collectives::Run run;
    for (const collectives::Task& task : tasks) {
      std::set<std::uint32_t> leaves;
      for (const Rank gpu : task.schedule->group().ranks())
        leaves.insert(cluster_.node_of(gpu).value() / 2);
      run.tasks.push_back(
          {.start = task.start,
           .finish = task.start + Time::from_seconds(static_cast<double>(leaves.size())),
           .bound_by = {}});
    }
    return run;
  }

 private:
  const topology::Cluster& cluster_;
};

/// Engines of rings on that executor.
inline EngineFactory engines_by_leaf() {
  return [](const PlaceProblem& problem) {
    struct Owner {
      explicit Owner(const topology::Cluster& cluster)
          : executor(cluster), engine(engine_of_rings(cluster, executor)) {}
      SecondsPerLeaf executor;
      Engine engine;
    };
    const auto owner = std::make_shared<Owner>(problem.cluster);
    return std::shared_ptr<const Engine>(owner, &owner->engine);
  };
}

}  // namespace railyard::placement::testing
