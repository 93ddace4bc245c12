#include "topology/routing/leaf_router.hpp"

namespace railyard::topology {

std::unique_ptr<LeafRouter> LeafRouter::make(const Cluster& cluster,
                                             const RoutingOptions& options) {
  if (options.policy == RoutingPolicy::spray) return nullptr;
  if (options.qps < 1) return nullptr;  // Router reports the error
  std::unique_ptr<LeafRouter> router(new LeafRouter(cluster, options));
  if (!router->paths_.index().is_regular() || !router->find_attachments(cluster)) return nullptr;
  router->find_loads(cluster);
  return router;
}

LeafRouter::LeafRouter(const Cluster& cluster, const RoutingOptions& options)
    : options_(options), paths_(cluster, {}), needs_all_(options.policy == RoutingPolicy::rail) {}

// Returns false if a NIC has several ports.
bool LeafRouter::find_attachments(const Cluster& cluster) {
  const FabricIndex& index = paths_.index();
  std::size_t links = 0;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const NodeId node(n);
    const int nics = cluster.shape(node).nic_count();
    for (int i = 0; i < nics; ++i) {
      const auto ports = index.ports(node, i);
      if (ports.size() > 1) return false;
      Attachment attachment{cluster.nic(node, i), SwitchId::none(), 0};
      if (!ports.empty()) {
        attachment.leaf = ports.front().leaf;
        attachment.ordinal = index.ordinal(ports.front());
      }
      attachments_.push_back(attachment);
    }
    links = cluster.node(node).first_link.index() + cluster.shape(node).links().size();
  }
  first_link_ = LinkId(links);  // ClusterBuilder adds all nodes before the fabric
  return true;
}

void LeafRouter::find_loads(const Cluster& cluster) {
  if (is_stateless()) return;
  loads_.reserve(cluster.link_count() - first_link_.index());
  for (std::size_t i = first_link_.index(); i < cluster.link_count(); ++i) {
    const double bits = static_cast<double>(cluster.link(LinkId(i)).bandwidth.bits_per_second());
    loads_.push_back({0, 1e9 / bits});
  }
}

void LeafRouter::forget() {
  for (const LinkId link : used_) loads_[link.index() - first_link_.index()].carried = 0;
  used_.clear();
}

}  // namespace railyard::topology
