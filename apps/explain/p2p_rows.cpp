#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "apps/explain/explain_sections.hpp"
#include "collectives/nccl/choice/peer_kinds.hpp"
#include "collectives/nccl/timing/p2p_plan.hpp"

namespace railyard::apps {
namespace {

using collectives::Group;
using collectives::Kind;
using collectives::nccl::PeerKind;

struct P2pRow {
  std::int64_t bytes;  ///< of the collective
  PeerKind kind;
  std::int64_t message;  ///< bytes to one peer
  collectives::nccl::P2pPlan plan;
};

constexpr std::array<Column<P2pRow>, 9> kColumns{{
    {"bytes", [](const P2pRow& r) -> RowValue { return r.bytes; }, {.is_size = true}},
    {"peers", [](const P2pRow& r) -> RowValue { return std::string(r.kind.peers); }},
    {"count", [](const P2pRow& r) -> RowValue { return r.kind.count; }},
    {"message_bytes", [](const P2pRow& r) -> RowValue { return r.message; }, {.is_size = true}},
    {"channels", [](const P2pRow& r) -> RowValue { return std::int64_t{r.plan.channels}; }},
    {"protocol", [](const P2pRow& r) -> RowValue { return std::string(to_text(r.plan.protocol)); }},
    {"step_bytes", [](const P2pRow& r) -> RowValue { return r.plan.step; }, {.is_size = true}},
    {"chunk_bytes", [](const P2pRow& r) -> RowValue { return r.plan.chunk; }, {.is_size = true}},
    {"relay", [](const P2pRow& r) -> RowValue { return std::string(r.kind.relay); }},
}};

}  // namespace

RowTable p2p_rows(collectives::nccl::Chooser& chooser,
                  const collectives::nccl::ChoiceRequest& asked, std::span<const Bytes> sizes) {
  const Group& group = *asked.group;
  std::vector<P2pRow> rows;
  if (group.size() > 1) {
    const auto& communicator = chooser.model(group).communicator;
    const bool all = asked.collective.kind == Kind::all_to_all;
    const std::vector<PeerKind> kinds =
        all ? collectives::nccl::all_to_all_peers(chooser.cluster(), group,
                                                  chooser.all_to_all_rule(group) == "rail_pxn")
            : collectives::nccl::send_recv_peers(group);
    for (const Bytes size : sizes) {
      for (const PeerKind& kind : kinds) {
        if (kind.count == 0) continue;
        const std::int64_t message = all ? size.count() / group.size() : size.count();
        auto plan = plan_p2p(communicator, chooser.environment().p2p, message, kind.network);
        if (asked.channels) plan.channels = std::min(plan.channels, *asked.channels);
        rows.push_back({size.count(), kind, message, plan});
      }
    }
  }
  return tabulate(kColumns, rows);
}

}  // namespace railyard::apps
