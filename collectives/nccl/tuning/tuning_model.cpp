#include "collectives/nccl/tuning/tuning_model.hpp"

#include <algorithm>
#include <utility>

#include "collectives/nccl/tuning/tuning_terms.hpp"

namespace railyard::collectives::nccl {
namespace {

using enum TuningAlgorithm;

// NCCL 2.30 src/include/device.h and src/include/comm.h.
constexpr int kWarp = 32;
constexpr int kMaxThreads = 640;
constexpr int kSimpleThreads = 512;
constexpr int kLlThreads = 512;
constexpr int kLl128Threads = 640;
constexpr int kLlThreshold = 8;
constexpr int kLl128Threshold = 8;
constexpr int kSimpleThreshold = 64;
constexpr int kCollnetThreshold = 512;

/// The user's number of threads, adapted as in NCCL: whole warps, within limits.
int threads_of(std::optional<int> asked, int least, int most, int own) {
  if (!asked || *asked <= 0) return own;
  if (*asked % kWarp != 0) return most;
  return std::clamp(*asked, least, most);
}

void fill_threads(TuningModel& model) {
  const TuningSettings& settings = model.settings;
  const auto& ring_graph = model.communicator.graph(GraphId::ring);
  // 12 GB/s is PCIe x16 of the third generation (NCCL 2.30 src/graph/topo.h, PCI_BW).
  constexpr float kPcie = 12;
  const bool slow = model.constants->slow_rings_have_fewer_threads && ring_graph &&
                    ring_graph->bandwidth_intra * static_cast<float>(ring_graph->channels) <= kPcie;
  for (const TuningAlgorithm a : kAllTuningAlgorithms) {
    const bool classic = a == ring || a == tree;
    const int own = a == ring && slow ? 256 : kSimpleThreads;
    auto& row = model.threads[index_of(a)];
    row[0] = threads_of(settings.threads, 2 * kWarp, kLlThreads, kLlThreads);
    row[1] = threads_of(settings.ll128_threads, kLl128Threads / 4, kLl128Threads, kLl128Threads);
    row[2] = classic ? threads_of(settings.threads, 2 * kWarp, kSimpleThreads, own) : kMaxThreads;
    const bool collnet = a == collnet_direct || a == collnet_chain;
    model.threshold[index_of(a)] = {kLlThreshold, kLl128Threshold,
                                    collnet ? kCollnetThreshold : kSimpleThreshold};
  }
  model.threshold[index_of(ring)][0] *= std::max(1, model.communicator.ranks);
  for (std::size_t i = 0; i < settings.thread_thresholds.size(); ++i) {
    const auto& asked = settings.thread_thresholds[i];
    if (asked && *asked >= 0) model.threshold[i / kTuningProtocols][i % kTuningProtocols] = *asked;
  }
}

/// One rank: NCCL copies, and calls it Ring with Simple.
TuningEntry alone(TuningAlgorithm algorithm, Protocol protocol) {
  const bool copies = algorithm == ring && protocol == Protocol::simple;
  return {.latency = 0,
          .bandwidth = 0,
          .limit = Limit::intra,
          .why_not = copies ? "" : "one rank only copies, which NCCL reports as ring with simple"};
}

TuningEntry make_entry(const TuningModel& model, Kind kind, TuningAlgorithm algorithm,
                       Protocol protocol) {
  const Communicator& communicator = model.communicator;
  if (communicator.ranks <= 1) return alone(algorithm, protocol);
  const Graph* graph = graph_of(communicator, algorithm);
  TuningEntry entry;
  entry.why_not = why_not_tuned(communicator, graph, *model.constants, model.settings, kind,
                                algorithm, protocol);
  if (!entry.why_not.empty()) return entry;
  const TuningCase asked{.communicator = communicator,
                         .graph = *graph,
                         .constants = *model.constants,
                         .settings = model.settings,
                         .kind = kind,
                         .algorithm = algorithm,
                         .protocol = protocol};
  const TunedBandwidth bandwidth = tuned_bandwidth(asked);
  entry.latency = tuned_latency(asked);
  entry.bandwidth = bandwidth.value;
  entry.limit = bandwidth.limit;
  entry.why_not = entry.bandwidth > 0 ? why_not_taken(communicator, kind, algorithm)
                                      : "NCCL's model gives it no bandwidth";
  return entry;
}

}  // namespace

const Graph* graph_of(const Communicator& communicator, TuningAlgorithm algorithm) {
  constexpr PerAlgorithm<GraphId> kGraphs{
      GraphId::tree, GraphId::ring, GraphId::collnet_direct, GraphId::collnet_chain, GraphId::nvls,
      GraphId::nvls, GraphId::tree};
  const auto& graph = communicator.graph(kGraphs[index_of(algorithm)]);
  return graph ? &*graph : nullptr;
}

TuningModel make_tuning_model(Communicator communicator, Version version, TuningSettings settings) {
  TuningModel model;
  model.communicator = std::move(communicator);
  model.constants = &tuning_constants(version);
  model.settings = std::move(settings);
  fill_threads(model);
  for (std::size_t kind = 0; kind < kTuningKinds; ++kind) {
    for (const TuningAlgorithm algorithm : kAllTuningAlgorithms) {
      for (const Protocol protocol : kAllProtocols) {
        model.entries[kind][index_of(algorithm)][index_of(protocol)] =
            make_entry(model, static_cast<Kind>(kind), algorithm, protocol);
      }
    }
  }
  return model;
}

}  // namespace railyard::collectives::nccl
