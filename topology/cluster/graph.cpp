#include "topology/cluster/graph.hpp"

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/filtered_graph.hpp>
#include <boost/graph/graph_traits.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/iterator/counting_iterator.hpp>

#include <algorithm>

#include "topology/cluster/link_capacities.hpp"
#include "topology/cluster/live_links.hpp"
#include "topology/cluster/min_cut.hpp"

// Presents a Cluster as a Boost graph (VertexListGraph and IncidenceGraph) without copying it:
// vertices are device numbers, edges are LinkIds, and out-edges are the rows of the CSR arrays.
namespace railyard::topology::bgl {

struct ClusterGraph {
  const Cluster* cluster;
};

struct Category : boost::incidence_graph_tag, boost::vertex_list_graph_tag {};

}  // namespace railyard::topology::bgl

template <>
struct boost::graph_traits<railyard::topology::bgl::ClusterGraph> {
  using vertex_descriptor = std::uint32_t;
  using edge_descriptor = railyard::LinkId;
  using directed_category = boost::directed_tag;
  using edge_parallel_category = boost::allow_parallel_edge_tag;
  using traversal_category = railyard::topology::bgl::Category;
  using out_edge_iterator = const railyard::LinkId*;
  using vertex_iterator = boost::counting_iterator<std::uint32_t>;
  using degree_size_type = std::size_t;
  using vertices_size_type = std::size_t;
  using edges_size_type = std::size_t;
  using in_edge_iterator = void;
  using edge_iterator = void;
  using adjacency_iterator = void;
  static vertex_descriptor null_vertex() { return ~vertex_descriptor{0}; }
};

namespace railyard::topology::bgl {

using Traits = boost::graph_traits<ClusterGraph>;

std::pair<Traits::vertex_iterator, Traits::vertex_iterator> vertices(const ClusterGraph& graph) {
  const auto count = static_cast<std::uint32_t>(graph.cluster->device_count());
  return {Traits::vertex_iterator(0), Traits::vertex_iterator(count)};
}
std::size_t num_vertices(const ClusterGraph& graph) { return graph.cluster->device_count(); }
std::pair<const LinkId*, const LinkId*> out_edges(std::uint32_t vertex, const ClusterGraph& graph) {
  const auto links = graph.cluster->out_links(DeviceId(vertex));
  return {links.data(), links.data() + links.size()};
}
std::size_t out_degree(std::uint32_t vertex, const ClusterGraph& graph) {
  return graph.cluster->out_links(DeviceId(vertex)).size();
}
std::uint32_t source(LinkId edge, const ClusterGraph& graph) {
  return graph.cluster->link(edge).from.value();
}
std::uint32_t target(LinkId edge, const ClusterGraph& graph) {
  return graph.cluster->link(edge).to.value();
}

struct IsLive {
  const LiveLinks* live = nullptr;
  bool operator()(LinkId link) const { return live->is_live(link); }
};
using LiveGraph = boost::filtered_graph<ClusterGraph, IsLive>;

// Records the link by which each device was first reached.
struct Tree : boost::default_bfs_visitor {
  explicit Tree(std::vector<LinkId>& found) : by(&found) {}
  void tree_edge(LinkId link, const LiveGraph& graph) const {
    (*by)[target(link, graph.m_g)] = link;
  }
  std::vector<LinkId>* by;
};

}  // namespace railyard::topology::bgl

namespace railyard::topology {
namespace {

// The link by which a breadth-first search first reaches each device.
std::vector<LinkId> search(const Cluster& cluster, DeviceId from, const Faults& faults) {
  const LiveLinks live(cluster, faults);
  const bgl::ClusterGraph all{&cluster};
  const bgl::LiveGraph graph(all, bgl::IsLive{&live});
  std::vector<LinkId> by(cluster.device_count());
  std::vector<boost::default_color_type> colours(cluster.device_count());
  const auto colour = boost::make_iterator_property_map(
      colours.begin(), boost::typed_identity_property_map<std::uint32_t>());
  boost::breadth_first_search(graph, from.value(), boost::visitor(bgl::Tree(by)).color_map(colour));
  return by;
}

}  // namespace

std::vector<int> hops_from(const Cluster& cluster, DeviceId from, const Faults& faults) {
  const std::vector<LinkId> by = search(cluster, from, faults);
  std::vector<int> hops(cluster.device_count(), -1);
  hops[from.index()] = 0;
  std::vector<std::size_t> chain;
  for (std::size_t d = 0; d < by.size(); ++d) {
    std::size_t at = d;
    for (; hops[at] < 0 && !by[at].is_none(); at = cluster.link(by[at]).from.index()) {
      chain.push_back(at);
    }
    for (; !chain.empty(); chain.pop_back()) {
      const std::size_t next = chain.back();
      hops[next] = hops[cluster.link(by[next]).from.index()] + 1;
    }
  }
  return hops;
}

std::optional<std::vector<LinkId>> shortest_path(const Cluster& cluster, DeviceId from, DeviceId to,
                                                 const Faults& faults) {
  const std::vector<LinkId> by = search(cluster, from, faults);
  std::vector<LinkId> path;
  for (DeviceId at = to; at != from; at = cluster.link(path.back()).from) {
    if (by[at.index()].is_none()) return {};
    path.push_back(by[at.index()]);
  }
  std::ranges::reverse(path);
  return path;
}

std::vector<std::uint32_t> components(const Cluster& cluster, const Faults& faults) {
  const LiveLinks live(cluster, faults);
  const bgl::ClusterGraph all{&cluster};
  const bgl::LiveGraph graph(all, bgl::IsLive{&live});
  const boost::typed_identity_property_map<std::uint32_t> identity;
  std::vector<std::uint32_t> found(cluster.device_count());
  boost::strong_components(graph, boost::make_iterator_property_map(found.begin(), identity),
                           boost::vertex_index_map(identity));
  return found;
}

bool is_connected(const Cluster& cluster, const Faults& faults) {
  const std::vector<std::uint32_t> found = components(cluster, faults);
  return std::ranges::all_of(found, [&](std::uint32_t c) { return c == found.front(); });
}

Cut max_flow(const Cluster& cluster, std::span<const DeviceId> sources,
             std::span<const DeviceId> sinks, const Faults& faults) {
  const auto source = static_cast<std::uint32_t>(cluster.device_count());
  const std::uint32_t sink = source + 1;
  const LinkCapacities capacities(cluster, faults);
  std::vector<FlowArc> arcs;
  std::vector<std::int64_t> into(cluster.device_count(), 0), out_of(cluster.device_count(), 0);
  for (std::size_t l = 0; l < cluster.link_count(); ++l) {
    const Link& link = cluster.link(LinkId(l));
    const std::int64_t capacity = capacities.of(LinkId(l));
    arcs.push_back({link.from.value(), link.to.value(), capacity});
    out_of[link.from.index()] += capacity;
    into[link.to.index()] += capacity;
  }
  // Capacity 1 above the sum of the device's links, so that this arc is in no minimum cut.
  for (const DeviceId device : sources) {
    arcs.push_back({source, device.value(), out_of[device.index()] + 1});
  }
  for (const DeviceId device : sinks) {
    arcs.push_back({device.value(), sink, into[device.index()] + 1});
  }
  const MinCut found = min_cut(sink + 1, arcs, source, sink);
  Cut cut{Bandwidth::bits_per_second(found.flow), {}};
  for (std::size_t l = 0; l < cluster.link_count(); ++l) {
    const Link& link = cluster.link(LinkId(l));
    if (!found.source_side[link.from.index()] || found.source_side[link.to.index()]) continue;
    if (capacities.of(LinkId(l)) > 0) cut.links.push_back(LinkId(l));
  }
  return cut;
}

}  // namespace railyard::topology
