#include <iterator>

#include "collectives/algorithms/algorithm_list.hpp"
#include "collectives/algorithms/nic_heads.hpp"
#include "collectives/algorithms/nvls_support.hpp"
#include "collectives/algorithms/tree_steps.hpp"
#include "collectives/schedule/chunking.hpp"

namespace railyard::collectives {
namespace {

bool supports_nvls_tree(Kind kind) { return kind == Kind::all_reduce; }

std::string why_not_between_nodes(const Request& request) {
  if (request.group->nodes().size() < 2)
    return "works between nodes, but the group is on one node; use nvls";
  const std::string reason = why_not_nvls(request);
  return reason.empty() ? why_not_nics(request) : reason;
}

/// NCCL 2.30: 128 KiB, and at most 64 KiB from 4 nodes on (enqueue.cc, calcCollChunking).
Bytes preferred_chunk(std::size_t nodes) { return Bytes(nodes >= 4 ? 64 << 10 : 128 << 10); }

void append(std::vector<Step>& steps, std::vector<Step> more) {
  std::move(more.begin(), more.end(), std::back_inserter(steps));
}

std::vector<Step> steps_of(const Request& request, const std::vector<NicHead>& heads, bool second,
                           Reducers& reducers) {
  std::vector<Step> steps;
  std::vector<Edge> to_heads;
  std::vector<Edge> from_heads;
  std::vector<TreeChain> chains;
  add_step(steps, into_nvswitches(request, reducers), Action::reduce);
  for (const NicHead& head : heads) {
    const Participant nvswitch = reducers.participant(request.cluster.nvswitch(head.node));
    to_heads.push_back({.source = nvswitch, .destination = head.rank});
    from_heads.push_back({.source = head.rank, .destination = nvswitch});
    chains.push_back({.members = {head.rank}, .nic = head.nic});
  }
  const NodeTree tree = binary_tree(static_cast<std::uint32_t>(heads.size()), second);
  add_step(steps, std::move(to_heads), Action::copy);
  append(steps, steps_up(tree, chains));
  append(steps, steps_down(tree, chains));
  add_step(steps, std::move(from_heads), Action::copy);
  add_step(steps, out_of_nvswitches(request, reducers), Action::copy);
  return steps;
}

Schedule build_nvls_tree(const Request& request) {
  const std::vector<std::vector<NicHead>> heads = nic_heads(request);
  const std::size_t channels = channel_count(request, 2 * heads.size());
  const std::uint64_t pieces =
      pipeline_pieces(request, channels, preferred_chunk(request.group->nodes().size()));
  Reducers reducers(request.group->size());
  Schedule::Parts parts = parts_of(request, "nvls_tree");
  for (std::size_t channel = 0; channel < channels; ++channel) {
    // Each head's share is divided equally over both trees: channels alternate between them.
    Loop loop{.repeat = pieces, .coupling = Coupling::pipeline, .steps = {}};
    loop.steps = steps_of(request, heads[channel / 2 % heads.size()], channel % 2 == 1, reducers);
    parts.channels.push_back({.chunks_per_block = pieces, .loops = {std::move(loop)}});
  }
  parts.reducers = reducers.devices();
  return Schedule(std::move(parts));
}

}  // namespace

Algorithm nvls_tree_algorithm() {
  return {.name = "nvls_tree",
          .summary =
              "NVSwitches reduce within nodes, double binary trees of the heads between (NCCL's "
              "NVLSTree)",
          .supports = supports_nvls_tree,
          .why_not = why_not_between_nodes,
          .build = build_nvls_tree};
}

}  // namespace railyard::collectives
