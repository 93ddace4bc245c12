#include "topology/cluster/min_cut.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

#include <map>
#include <utility>

namespace railyard::topology {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Network = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<
        boost::edge_capacity_t, std::int64_t,
        boost::property<boost::edge_residual_capacity_t, std::int64_t,
                        boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

// Every arc gets its own reverse arc without capacity, because Boost's push-relabel returns the
// excess of a preflow only over such reverse arcs.
Network make_network(std::uint32_t vertices, std::span<const FlowArc> arcs) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> capacities;
  for (const FlowArc& arc : arcs) {
    if (arc.from != arc.to && arc.capacity > 0) capacities[{arc.from, arc.to}] += arc.capacity;
  }
  Network network(vertices);
  for (const auto& [ends, capacity] : capacities) {
    const auto forward = boost::add_edge(ends.first, ends.second, network).first;
    const auto backward = boost::add_edge(ends.second, ends.first, network).first;
    boost::put(boost::edge_capacity, network, forward, capacity);
    boost::put(boost::edge_capacity, network, backward, 0);
    boost::put(boost::edge_reverse, network, forward, backward);
    boost::put(boost::edge_reverse, network, backward, forward);
  }
  return network;
}

std::vector<bool> reachable(const Network& network, std::uint32_t source) {
  std::vector<bool> found(boost::num_vertices(network), false);
  std::vector<std::size_t> queue{source};
  found[source] = true;
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const auto [begin, end] = boost::out_edges(queue[head], network);
    for (auto edge = begin; edge != end; ++edge) {
      const std::size_t to = boost::target(*edge, network);
      if (found[to] || boost::get(boost::edge_residual_capacity, network, *edge) == 0) continue;
      found[to] = true;
      queue.push_back(to);
    }
  }
  return found;
}

}  // namespace

MinCut min_cut(std::uint32_t vertices, std::span<const FlowArc> arcs, std::uint32_t source,
               std::uint32_t sink) {
  Network network = make_network(vertices, arcs);
  MinCut cut;
  cut.flow = boost::push_relabel_max_flow(network, source, sink);
  cut.source_side = reachable(network, source);
  return cut;
}

}  // namespace railyard::topology
