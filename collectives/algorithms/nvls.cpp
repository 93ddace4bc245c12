#include "collectives/algorithms/algorithm_list.hpp"
#include "collectives/algorithms/nvls_support.hpp"
#include "collectives/schedule/chunking.hpp"

namespace railyard::collectives {
namespace {

// NCCL_NVLS_CHUNKSIZE (NCCL 2.30).
constexpr Bytes kChunk(128 << 10);

bool supports_nvls(Kind kind) {
  return kind == Kind::all_reduce || kind == Kind::all_gather || kind == Kind::reduce_scatter;
}

std::string why_not_within_node(const Request& request) {
  const std::size_t nodes = request.group->nodes().size();
  if (nodes > 1) {
    return "works within one node, but the group is on " + std::to_string(nodes) +
           "; nvls_tree works between nodes";
  }
  return why_not_nvls(request);
}

/// all_reduce of the head's share: the NVSwitch reduces it towards the head, which then stores the
/// result to all ranks by multicast.
std::vector<Step> all_reduce(const Request& request, Participant head, Reducers& reducers) {
  const Participant nvswitch =
      reducers.participant(request.cluster.nvswitch(request.group->nodes().front().node));
  std::vector<Step> steps;
  add_step(steps, into_nvswitches(request, reducers), Action::reduce);
  add_step(steps, {{.source = nvswitch, .destination = head}}, Action::copy);
  add_step(steps, {{.source = head, .destination = nvswitch}}, Action::copy);
  add_step(steps, out_of_nvswitches(request, reducers), Action::copy);
  return steps;
}

/// Edges to or from the NVSwitch: for every block of every rank, or (own_only) for each rank's own
/// block.
std::vector<Edge> by_block(std::uint32_t ranks, Participant nvswitch, std::uint64_t pieces, bool in,
                           bool own_only) {
  std::vector<Edge> edges;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (std::uint32_t block = 0; block < ranks; ++block) {
      if (own_only && rank != block) continue;
      edges.push_back({.source = in ? rank : nvswitch,
                       .destination = in ? nvswitch : rank,
                       .chunk = block * pieces});
    }
  }
  return edges;
}

/// all_gather: each rank stores its block to all ranks by multicast. reduce_scatter: each rank
/// loads its own block, which the NVSwitch reduces.
std::vector<Step> of_blocks(const Request& request, std::uint64_t pieces, Reducers& reducers) {
  const std::uint32_t n = request.group->size();
  const bool gathers = request.collective.kind == Kind::all_gather;
  const Participant nvswitch =
      reducers.participant(request.cluster.nvswitch(request.group->nodes().front().node));
  std::vector<Step> steps;
  add_step(steps, by_block(n, nvswitch, pieces, true, gathers),
           gathers ? Action::copy : Action::reduce);
  add_step(steps, by_block(n, nvswitch, pieces, false, !gathers), Action::copy);
  return steps;
}

Schedule build_nvls(const Request& request) {
  const std::uint32_t n = request.group->size();
  if (n == 1) return nothing_to_do(request, "nvls");
  // In all_reduce every GPU is a head that owns a share of the data (docs/models/collectives.md).
  // In the other collectives each block already belongs to a rank.
  const bool reduces_all = request.collective.kind == Kind::all_reduce;
  const std::size_t channels = channel_count(request, reduces_all ? n : 1);
  const std::uint64_t pieces = pipeline_pieces(request, channels, kChunk);
  Reducers reducers(n);
  Schedule::Parts parts = parts_of(request, "nvls");
  for (std::size_t channel = 0; channel < channels; ++channel) {
    Loop loop{.repeat = pieces, .coupling = Coupling::pipeline, .steps = {}};
    loop.steps = reduces_all ? all_reduce(request, static_cast<Participant>(channel % n), reducers)
                             : of_blocks(request, pieces, reducers);
    parts.channels.push_back({.chunks_per_block = pieces, .loops = {std::move(loop)}});
  }
  parts.reducers = reducers.devices();
  return Schedule(std::move(parts));
}

}  // namespace

Algorithm nvls_algorithm() {
  return {.name = "nvls",
          .summary = "one node: the NVSwitch reduces and multicasts (NCCL's NVLS)",
          .supports = supports_nvls,
          .why_not = why_not_within_node,
          .build = build_nvls};
}

}  // namespace railyard::collectives
