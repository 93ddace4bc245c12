#include "sim/node_link_demand.hpp"

namespace railyard::sim {
namespace {

bool is_inside(topology::LinkKind kind) {
  return kind != topology::LinkKind::port && kind != topology::LinkKind::fabric;
}

}  // namespace

std::vector<double>& NodeLinkDemand::of(NodeId node) {
  if (node == last_ && last_asked_ != nullptr) return *last_asked_;
  auto& asked = nodes_[node.value()];
  if (asked.empty()) asked.resize(cluster_->shape(node).links().size());
  last_ = node;
  last_asked_ = &asked;  // pointers to the values of a map stay valid
  return asked;
}

void NodeLinkDemand::add(const FittedLinks& fitted, std::span<const topology::Hop> hops,
                         double rate) {
  for (const auto& hop : hops) {
    const topology::Link& link = cluster_->link(hop.link);
    if (!is_inside(link.kind) || !fitted.covers(link)) continue;
    const NodeId node = cluster_->device(link.from).node;
    const std::size_t first = cluster_->node(node).first_link.index();
    of(node)[hop.link.index() - first] += hop.share * rate;
  }
}

}  // namespace railyard::sim
