#include <bit>

#include "collectives/algorithms/algorithm_list.hpp"
#include "collectives/schedule/chunking.hpp"

namespace railyard::collectives {
namespace {

bool supports_pat(Kind kind) { return kind == Kind::all_gather || kind == Kind::reduce_scatter; }

std::string always(const Request&) { return {}; }

/// PAT has ceil(log2 n) steps. all_gather starts with few blocks over large distances and ends with
/// many blocks over small distances (a binomial tree per block); reduce_scatter uses the same steps
/// in reverse. This follows NCCL's PAT ("Parallel Aggregated Trees", Jeaugey 2025), without its
/// limit on buffers.
Schedule build_pat(const Request& request) {
  const std::uint32_t n = request.group->size();
  if (n == 1) return nothing_to_do(request, "pat");
  const bool gathers = request.collective.kind == Kind::all_gather;
  const std::uint32_t farthest = std::bit_ceil(n) / 2;
  std::vector<Step> steps;
  for (std::uint32_t distance = 1; distance <= farthest; distance *= 2) {
    steps.push_back({.pattern = PatPattern{.ranks = n,
                                           .distance = gathers ? farthest / distance : distance,
                                           .action = gathers ? Action::copy : Action::reduce}});
  }
  const Channel channel{.chunks_per_block = 1, .loops = {{.repeat = 1, .steps = std::move(steps)}}};
  Schedule::Parts parts = parts_of(request, "pat");
  parts.channels.assign(channel_count(request, 1), channel);
  return Schedule(std::move(parts));
}

}  // namespace

Algorithm pat_algorithm() {
  return {.name = "pat",
          .summary = "binomial trees side by side, far blocks first: log2 n steps (as NCCL's PAT)",
          .supports = supports_pat,
          .why_not = always,
          .build = build_pat};
}

}  // namespace railyard::collectives
