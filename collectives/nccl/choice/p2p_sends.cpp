#include "collectives/nccl/choice/p2p_sends.hpp"

#include <algorithm>

namespace railyard::collectives::nccl {

std::vector<P2pSends> p2p_sends(Chooser& chooser, const ChoiceRequest& asked,
                                std::span<const Bytes> sizes) {
  const Group& group = *asked.group;
  std::vector<P2pSends> rows;
  if (group.size() > 1) {
    const auto& communicator = chooser.model(group).communicator;
    const bool all = asked.collective.kind == Kind::all_to_all;
    const std::vector<PeerKind> kinds =
        all ? all_to_all_peers(chooser.cluster(), group,
                               chooser.all_to_all_rule(group) == "rail_pxn")
            : send_recv_peers(group);
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
  return rows;
}

}  // namespace railyard::collectives::nccl
