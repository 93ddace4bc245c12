#include "collectives/nccl/search/node_form.hpp"

#include <algorithm>
#include <bit>

#include "topology/routing/flow_hash.hpp"

namespace railyard::collectives::nccl {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

/// Numbers values in the order of their first appearance.
template <class Value>
int number_of(const Value& value, std::vector<Value>& known) {
  const auto found = std::ranges::find(known, value);
  const auto number = static_cast<int>(found - known.begin());
  if (found == known.end()) known.push_back(value);
  return number;
}

/// Vertices in the order of the form.
std::vector<int> order_of(const System& system) {
  std::vector<bool> has_ranks(at(system.hosts), false);
  for (const int gpu : system.all(VertexKind::gpu)) has_ranks[at(system[gpu].host)] = true;
  std::vector<int> order;
  for (const bool wanted : {true, false})
    for (int v = 0; v < static_cast<int>(system.vertices.size()); ++v)
      if ((system[v].kind == VertexKind::nvs || has_ranks[at(system[v].host)]) == wanted)
        order.push_back(v);
  return order;
}

/// Values of one kind of vertices, in the order of the form.
template <class Value>
std::vector<Value> reordered(const System& system, const std::vector<int>& order, VertexKind kind,
                             const std::vector<Value>& values) {
  std::vector<Value> out;
  for (const int vertex : order)
    if (system[vertex].kind == kind) out.push_back(values[at(system[vertex].index)]);
  return out;
}

/// Vertices and links of the form.
void copy_graph(const System& system, const std::vector<int>& order, System& form) {
  std::vector<int> vertex(system.vertices.size()), link(system.links.size());
  int links = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    vertex[at(order[i])] = static_cast<int>(i);
    for (const int id : system[order[i]].links) link[at(id)] = links++;
  }
  form.links.resize(at(links));
  std::vector<int> hosts;
  for (const int old : order) {
    const Vertex& from = system[old];
    auto& of_kind = form.of_kind[static_cast<std::size_t>(from.kind)];
    // An NVSwitch belongs to no host.
    const int host = from.kind == VertexKind::nvs ? 0 : number_of(from.host, hosts);
    Vertex& to = form.vertices.emplace_back(Vertex{
        .kind = from.kind, .index = static_cast<int>(of_kind.size()), .host = host, .links = {}});
    of_kind.push_back(vertex[at(old)]);
    for (const int id : from.links) {
      to.links.push_back(link[at(id)]);
      SystemLink& its = form.links[at(link[at(id)])];
      its = system.links[at(id)];
      its.from = vertex[at(its.from)];
      its.to = vertex[at(its.to)];
      if (its.reverse >= 0) its.reverse = link[at(its.reverse)];
    }
  }
}

}  // namespace

NodeForm node_form(const System& system) {
  const std::vector<int> order = order_of(system);
  NodeForm form;
  form.system.name = system.name;
  form.system.nvlink_bandwidth = system.nvlink_bandwidth;
  form.system.hosts = system.hosts;
  copy_graph(system, order, form.system);
  form.system.gpus = reordered(system, order, VertexKind::gpu, system.gpus);
  form.system.cpus = reordered(system, order, VertexKind::cpu, system.cpus);
  form.system.nets = reordered(system, order, VertexKind::net, system.nets);
  std::vector<std::uint64_t> asics;
  for (SystemNet& net : form.system.nets) {
    net.dev = number_of(net.dev, form.nets);
    net.asic = static_cast<std::uint64_t>(number_of(net.asic, asics));
  }
  return form;
}

std::uint64_t hash_of(const System& system) {
  std::uint64_t hash = 0;
  const auto add = [&](auto... values) {
    ((hash = topology::mix(hash ^ static_cast<std::uint64_t>(values))), ...);
  };
  add(system.vertices.size(), system.hosts);
  for (const SystemLink& link : system.links)
    add(link.from, link.to, std::bit_cast<std::uint32_t>(link.bandwidth));
  for (const SystemGpu& gpu : system.gpus) add(gpu.rank, gpu.dev, gpu.compute_capability);
  for (const SystemNet& net : system.nets)
    add(net.dev, net.asic, std::bit_cast<std::uint32_t>(net.bandwidth));
  return hash;
}

SearchedNode searched_alike(const System& system, const SearchedNode& other,
                            const std::vector<int>& from, const std::vector<int>& to,
                            const SearchEnvironment& environment) {
  SearchedNode node{.system = system,
                    .paths = compute_paths(system, environment),
                    .inter = other.inter,
                    .graphs = other.graphs,
                    .bounds = other.bounds};
  const auto renumber = [&](int& net) {
    if (net >= 0) net = to[static_cast<std::size_t>(std::ranges::find(from, net) - from.begin())];
  };
  for (auto& graph : node.graphs) {
    if (!graph) continue;
    for (GraphChannel& channel : graph->orders) {
      renumber(channel.net_in);
      renumber(channel.net_out);
    }
  }
  return node;
}

}  // namespace railyard::collectives::nccl
