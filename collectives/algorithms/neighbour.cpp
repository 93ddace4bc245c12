#include "collectives/algorithms/algorithm_list.hpp"
#include "collectives/schedule/chunking.hpp"

namespace railyard::collectives {
namespace {

bool supports_neighbour(Kind kind) { return kind == Kind::send_recv; }

std::string always(const Request&) { return {}; }

Schedule build_neighbour(const Request& request) {
  if (request.group->size() == 1) return nothing_to_do(request, "neighbour");
  const RingPattern turn{.order = RankOrder::identity(request.group->size()),
                         .action = Action::copy,
                         .pieces_are_ranks = true,
                         .via = nullptr};
  const Channel channel{
      .chunks_per_block = 1,
      .loops = {{.repeat = 1, .coupling = Coupling::independent, .steps = {{.pattern = turn}}}}};
  Schedule::Parts parts = parts_of(request, "neighbour");
  parts.channels.assign(channel_count(request, 1), channel);
  return Schedule(std::move(parts));
}

}  // namespace

Algorithm neighbour_algorithm() {
  return {.name = "neighbour",
          .summary = "every rank sends to the next and receives from the one before",
          .supports = supports_neighbour,
          .why_not = always,
          .build = build_neighbour};
}

}  // namespace railyard::collectives
