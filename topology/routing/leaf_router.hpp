#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "topology/routing/fabric_paths.hpp"
#include "topology/routing/flow_hash.hpp"
#include "topology/routing/hop_choice.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::topology {

/// A fast router for callers that only need the links between switches, and know the rest of the
/// path. It chooses the same links between switches as Router, and counts loads on these links
/// only. It makes no list of hops. Supported are regular folded Clos fabrics without failures and
/// with one port per NIC, and all policies except spray. A test compares it with Router.
class LeafRouter {
 public:
  /// Returns nothing if the fabric or policy needs Router. The cluster must outlive the router.
  [[nodiscard]] static std::unique_ptr<LeafRouter> make(const Cluster& cluster,
                                                        const RoutingOptions& options);
  LeafRouter(const LeafRouter&) = delete;
  LeafRouter& operator=(const LeafRouter&) = delete;

  /// A NIC and the leaf that it connects to.
  struct Attachment {
    DeviceId nic;
    SwitchId leaf;              ///< none() if the NIC is not connected
    std::uint32_t ordinal = 0;  ///< FabricIndex::ordinal
  };
  /// The attachment of a NIC, by its number in the cluster (node by node).
  [[nodiscard]] const Attachment& attachment(std::size_t nic) const { return attachments_[nic]; }
  /// The first link of the fabric. Lower ids belong to links inside nodes.
  [[nodiscard]] LinkId first_link() const { return first_link_; }

  /// Calls take(LinkId, share) for each link between switches. `label` is the label of the
  /// connection (Connection::label). Returns false if there is no path.
  template <class Take>
  bool route(std::size_t from_nic, std::size_t to_nic, Take&& take, std::uint32_t label = 0) {
    const Attachment &from = attachments_[from_nic], &to = attachments_[to_nic];
    if (from.leaf.is_none() || to.leaf.is_none()) return false;
    if (from.leaf == to.leaf) return true;
    if (paths_.index().component_of(from.leaf) != paths_.index().component_of(to.leaf))
      return false;
    const double share = this->share();
    for (int qp = 0; qp < options_.qps; ++qp) {
      if (options_.policy == RoutingPolicy::rail) {
        walk(from.leaf, to.leaf, RailChoice(to.ordinal), [&](LinkId link) { take(link, share); });
        continue;
      }
      const QueuePair pair{from.nic, to.nic, label, static_cast<std::uint32_t>(qp)};
      const auto carry = [&](LinkId link) {
        put(link, share);
        take(link, share);
      };
      if (options_.policy == RoutingPolicy::balanced) {
        const auto load_of = [&](const HashChoice& hashes) {
          PathLoad load;
          walk(from.leaf, to.leaf, hashes, [&](LinkId link) { load.add(with(link, share)); });
          return load;
        };
        walk(from.leaf, to.leaf, best_source_port(pair, options_, load_of), carry);
        continue;
      }
      const HashChoice hash(flow_key(pair, udp_source_port(pair, options_.seed)), options_);
      if (options_.policy == RoutingPolicy::ecmp) {
        walk(from.leaf, to.leaf, hash, [&](LinkId link) { take(link, share); });
        continue;
      }
      walk(
          from.leaf, to.leaf,
          [&](const ChoicePoint& point, const NextHops& hops) {
            return least_loaded(hash(point, hops), hops.viable, share);
          },
          carry);
    }
    return true;
  }
  /// The share of bytes on each link of a route.
  [[nodiscard]] double share() const { return 1.0 / options_.qps; }
  [[nodiscard]] std::size_t most_links() const {
    return std::size_t{4} * static_cast<std::size_t>(options_.qps);  // leaf to spine to core and
                                                                     // down again, for each queue
                                                                     // pair
  }
  /// Forgets the loads of all earlier routes.
  void forget();
  /// Whether paths are independent of earlier routes.
  [[nodiscard]] bool is_stateless() const { return topology::is_stateless(options_.policy); }
  [[nodiscard]] const RoutingOptions& options() const { return options_; }
  [[nodiscard]] FabricPaths& paths() { return paths_; }

 private:
  LeafRouter(const Cluster& cluster, const RoutingOptions& options);
  [[nodiscard]] bool find_attachments(const Cluster& cluster);
  void find_loads(const Cluster& cluster);

  template <class Choose, class Take>
  void walk(SwitchId from, SwitchId to, Choose&& choose, Take&& take) {
    const FabricIndex& index = paths_.index();
    for (SwitchId at = from; at != to;) {
      const NextHops hops = paths_.next(at, to);
      const int tier = index.tier(at);
      const bool is_up = index.tier(hops.viable.front().peer) > tier;
      const FabricCable& cable = hops.viable[hops.viable.size() == 1 && !needs_all_
                                                 ? 0
                                                 : choose(ChoicePoint{at, tier, is_up}, hops)];
      take(cable.link);
      at = cable.peer;
    }
  }

  /// The load of a link, as in LinkLoads: connections per Gb/s of bandwidth.
  struct Load {
    double carried = 0;
    double per_connection = 0;
  };
  [[nodiscard]] std::size_t least_loaded(std::size_t first, Cables cables, double share) const {
    const auto load = [&](std::size_t i) { return with(cables[i].link, share); };
    std::size_t best = first;
    double least = load(first);
    for (std::size_t step = 1, i = first; step < cables.size(); ++step) {
      i = i + 1 < cables.size() ? i + 1 : 0;
      const double here = load(i);
      if (here < least) {
        least = here;
        best = i;
      }
    }
    return best;
  }
  /// The load of a link with an additional connection of which it carries `share`.
  [[nodiscard]] double with(LinkId link, double share) const {
    const Load& entry = loads_[link.index() - first_link_.index()];
    return (entry.carried + share) * entry.per_connection;
  }
  void put(LinkId link, double share) {
    Load& load = loads_[link.index() - first_link_.index()];
    if (load.carried == 0) used_.push_back(link);
    load.carried += share;
  }

  RoutingOptions options_;
  FabricPaths paths_;
  LinkId first_link_;
  bool needs_all_ = false;  ///< whether `choose` must be called even if there is only one cable,
                            ///< because it has state
  std::vector<Attachment> attachments_;
  std::vector<Load> loads_;  ///< balanced and adaptive: by link, from first_link_ on
  std::vector<LinkId> used_;
};

}  // namespace railyard::topology
