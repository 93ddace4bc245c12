#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "apps/explain/explain_sections.hpp"
#include "collectives/algorithms/pair_via.hpp"
#include "collectives/nccl/timing/p2p_plan.hpp"

namespace railyard::apps {
namespace {

using collectives::Group;
using collectives::Kind;
using collectives::kNoParticipant;
using collectives::PairRule;
using collectives::PairVia;

/// Peers that are reached alike.
struct PeerKind {
  PeerKind(std::string_view name, bool on_network) : peers(name), network(on_network) {}
  std::string_view peers;
  bool network;
  std::string_view relay{};  ///< "" for none
  std::int64_t count = 0;
};

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

/// Of every other rank as a peer of the first: on its node, or across the network with a relay or
/// without.
std::vector<PeerKind> peers_of_first(const Chooser& chooser, const Group& group) {
  const bool pxn = chooser.all_to_all_rule(group) == "rail_pxn";
  PeerKind near("same node", false);
  PeerKind rail(pxn ? "other nodes, same rail" : "other nodes", true);
  PeerKind relayed("other nodes, other rails", true);
  relayed.relay = "PXN: the GPU of the node with the peer's number";
  const PairVia via(chooser.cluster(), group, PairRule::relay);
  for (std::uint32_t peer = 1; peer < group.size(); ++peer) {
    if (group.node_index(peer) == group.node_index(0)) {
      ++near.count;
    } else if (pxn && via(0, peer).relay != kNoParticipant) {
      ++relayed.count;
    } else {
      ++rail.count;
    }
  }
  return {near, rail, relayed};
}

/// send_recv: every rank with the next one.
std::vector<PeerKind> next_peers(const Group& group) {
  PeerKind near("next rank, same node", false);
  PeerKind far("next rank, other node", true);
  for (std::uint32_t rank = 0; rank < group.size(); ++rank) {
    const bool same = group.node_index(rank) == group.node_index((rank + 1) % group.size());
    ++(same ? near : far).count;
  }
  return {near, far};
}

}  // namespace

RowTable p2p_rows(Chooser& chooser, const ChoiceRequest& asked, std::span<const Bytes> sizes) {
  const Group& group = *asked.group;
  std::vector<P2pRow> rows;
  if (group.size() > 1) {
    const auto& communicator = chooser.model(group).communicator;
    const bool all = asked.collective.kind == Kind::all_to_all;
    const std::vector<PeerKind> kinds = all ? peers_of_first(chooser, group) : next_peers(group);
    for (const Bytes size : sizes) {
      for (const PeerKind& kind : kinds) {
        if (kind.count == 0) continue;
        const std::int64_t message = all ? size.count() / group.size() : size.count();
        rows.push_back({size.count(), kind, message,
                        plan_p2p(communicator, chooser.environment().p2p, message, kind.network)});
      }
    }
  }
  return tabulate(std::span<const Column<P2pRow>>(kColumns), std::span<const P2pRow>(rows));
}

}  // namespace railyard::apps
