#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "collectives/nccl/search/search.hpp"
#include "collectives/nccl/timing/fitted_time.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"
#include "collectives/schedule/group.hpp"
#include "topology/cluster/cluster.hpp"

// What a search over jobs pays for NCCL's opinion: a choice with its time per collective and size,
// and the table of a new communicator.
namespace {

using namespace railyard;
using namespace railyard::collectives;

const topology::Cluster& cluster() {
  static const topology::Cluster kCluster = topology::build_cluster(topology::read_cluster(
      std::string(RAILYARD_SOURCE_DIR) + "/configs/clusters/dgx_h100_ndr400.json", 4));
  return kCluster;
}

nccl::Communicator communicator() {
  return nccl::make_communicator(cluster(), Group::first(cluster(), 32));
}

void choices(benchmark::State& state) {
  const nccl::TuningModel model = nccl::make_tuning_model(communicator(), nccl::Version::v2_30);
  nccl::TuningQuery query;
  std::int64_t i = 0;
  for (auto _ : state) {
    query.kind = static_cast<Kind>(i % 3);
    query.bytes = std::int64_t{1} << (10 + i % 21);
    ++i;
    benchmark::DoNotOptimize(nccl::choose(model, query));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(choices);

/// Choice and time: what a search over jobs asks of each collective.
void predictions(benchmark::State& state) {
  nccl::FittedTime time(cluster(), {});
  const Group group = Group::first(cluster(), 32);
  const nccl::Machine machine = *time.machine(group);
  const nccl::TuningModel model = nccl::make_tuning_model(communicator(), nccl::Version::v2_30);
  nccl::TuningQuery query;
  std::int64_t i = 0;
  for (auto _ : state) {
    query.kind = static_cast<Kind>(i % 3);
    query.bytes = std::int64_t{1} << (10 + i % 21);
    ++i;
    const auto way = nccl::chosen_query(model, machine, query);
    benchmark::DoNotOptimize(nccl::collective_time(machine, *way).total());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(predictions);

void tables(benchmark::State& state) {
  const nccl::Communicator made = communicator();
  for (auto _ : state)
    benchmark::DoNotOptimize(nccl::make_tuning_model(made, nccl::Version::v2_30));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(tables);

void searches(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(communicator());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(searches);

}  // namespace
