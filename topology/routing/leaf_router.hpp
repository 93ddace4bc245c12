#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "topology/routing/fabric_paths.hpp"
#include "topology/routing/flow_hash.hpp"
#include "topology/routing/hop_choice.hpp"
#include "topology/routing/routing.hpp"

namespace railyard::topology {

/// Routes between NICs through the switches only: the loads that Router puts on links from switch
/// to switch, for callers that know the rest of the path. It supports fabrics that need no search
/// (regular folded Clos without failures, one port per NIC) and all policies except spray. It makes
/// no list of hops, and counts loads of fabric links only. A test compares it with Router.
class LeafRouter {
 public:
  /// Empty if the fabric needs Router. The cluster must outlive it.
  [[nodiscard]] static std::unique_ptr<LeafRouter> make(const Cluster& cluster,
                                                        const RoutingOptions& options);
  LeafRouter(const LeafRouter&) = delete;
  LeafRouter& operator=(const LeafRouter&) = delete;

  /// The leaf that a NIC connects to.
  struct Attachment {
    DeviceId nic;
    SwitchId leaf;              ///< none() if it is not connected
    std::uint32_t ordinal = 0;  ///< FabricIndex::ordinal
  };
  /// By number of the NIC in the cluster; nodes in order.
  [[nodiscard]] const Attachment& attachment(std::size_t nic) const { return attachments_[nic]; }
  /// The first link of the fabric; links before it belong to nodes.
  [[nodiscard]] LinkId first_link() const { return first_link_; }

  /// Calls take(LinkId, share) for each link between switches. Returns false if there is no path.
  /// `label` is that of the connection.
  template <class Take>
  bool route(std::size_t from_nic, std::size_t to_nic, Take&& take, std::uint32_t label = 0) {
    const Attachment &from = attachments_[from_nic], &to = attachments_[to_nic];
    if (from.leaf.is_none() || to.leaf.is_none()) return false;
    if (from.leaf == to.leaf) return true;
    if (ways_.index().component_of(from.leaf) != ways_.index().component_of(to.leaf)) return false;
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
  /// The share of each link of a route, and the largest number of links of a route.
  [[nodiscard]] double share() const { return 1.0 / options_.qps; }
  [[nodiscard]] std::size_t most_links() const {
    return std::size_t{4} * static_cast<std::size_t>(options_.qps);  // up to the cores and down
  }
  /// Forgets all earlier routes.
  void forget();
  /// Whether paths are independent of earlier routes.
  [[nodiscard]] bool is_stateless() const { return topology::is_stateless(options_.policy); }
  [[nodiscard]] const RoutingOptions& options() const { return options_; }
  [[nodiscard]] FabricPaths& paths() { return ways_; }

 private:
  LeafRouter(const Cluster& cluster, const RoutingOptions& options);
  [[nodiscard]] bool find_attachments(const Cluster& cluster);
  void find_loads(const Cluster& cluster);

  template <class Choose, class Take>
  void walk(SwitchId from, SwitchId to, Choose&& choose, Take&& take) {
    const FabricIndex& index = ways_.index();
    for (SwitchId at = from; at != to;) {
      const NextHops hops = ways_.next(at, to);
      const int tier = index.tier(at);
      const bool is_up = index.tier(hops.viable.front().peer) > tier;
      const FabricCable& cable = hops.viable[hops.viable.size() == 1 && !needs_all_
                                                 ? 0
                                                 : choose(ChoicePoint{at, tier, is_up}, hops)];
      take(cable.link);
      at = cable.peer;
    }
  }

  /// Connections on a link per Gb/s of its bandwidth, as in LinkLoads.
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
  /// Load of a link after `share` of a further connection.
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
  FabricPaths ways_;
  LinkId first_link_;
  bool needs_all_ =
      false;  ///< the choice at a switch affects the next one, even if there is one cable
  std::vector<Attachment> attachments_;
  std::vector<Load> loads_;  ///< balanced and adaptive: by link, from first_link_ on
  std::vector<LinkId> used_;
};

}  // namespace railyard::topology
