#include "topology/cluster/bisection.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/diagnostic.hpp"
#include "topology/cluster/link_capacities.hpp"
#include "topology/cluster/min_cut.hpp"
#include "topology/fabric/fabric_index.hpp"

namespace railyard::topology {
namespace {

// The vertex of each switch in the flow problem. Folded switches share a vertex.
struct Vertices {
  std::vector<std::uint32_t> of_switch;
  std::uint32_t count = 0;
};

Vertices unfolded(const FabricIndex& index) {
  Vertices vertices{std::vector<std::uint32_t>(index.size()),
                    static_cast<std::uint32_t>(index.size())};
  std::iota(vertices.of_switch.begin(), vertices.of_switch.end(), 0U);
  return vertices;
}

// Leaves keep their own vertex; all spines of a class share one, and all cores of a component share
// one.
Vertices folded(const FabricIndex& index) {
  Vertices vertices = unfolded(index);
  for (std::size_t s = 0; s < index.size(); ++s) {
    const SwitchId id(s);
    if (index.tier(id) == 2) vertices.of_switch[s] = vertices.count + index.class_of(id);
    if (index.tier(id) == 3) {
      vertices.of_switch[s] =
          vertices.count + static_cast<std::uint32_t>(index.class_count()) + index.component_of(id);
    }
  }
  vertices.count += static_cast<std::uint32_t>(index.class_count() + index.size());
  return vertices;
}

// Checks that capacity is spread evenly: cables are summed by key within a group, and all sums of
// one group must be equal.
class EvenSums {
 public:
  void add(std::uint64_t group, std::uint64_t key, std::int64_t capacity) {
    rows_.push_back({group, key, capacity});
  }
  [[nodiscard]] bool are_even() {
    std::ranges::sort(rows_, {}, [](const Row& row) { return std::pair(row.group, row.key); });
    std::vector<Row> sums;
    for (const Row& row : rows_) {
      if (!sums.empty() && sums.back().group == row.group && sums.back().key == row.key) {
        sums.back().capacity += row.capacity;
      } else {
        sums.push_back(row);
      }
    }
    return std::ranges::adjacent_find(sums, [](const Row& a, const Row& b) {
             return a.group == b.group && a.capacity != b.capacity;
           }) == sums.end();
  }

 private:
  struct Row {
    std::uint64_t group, key;
    std::int64_t capacity;
  };
  std::vector<Row> rows_;
};

// Folding is exact if every leaf has equal capacity to each of its spines, every spine of a class
// has equal total capacity to the cores, every core has equal capacity to each spine of a class,
// and both directions are equal. An even split of every flow over the folded switches then fits if
// the summed capacities do.
bool folds_exactly(const Cluster& cluster, const FabricIndex& index,
                   const LinkCapacities& capacities) {
  if (!index.is_regular()) return false;
  EvenSums leaf_to_spine, spine_to_cores, core_from_class;
  const auto core_group = [&](SwitchId core, SwitchId spine) {
    return (std::uint64_t{index.component_of(core)} << 32) | index.class_of(spine);
  };
  for (std::size_t s = 0; s < index.size(); ++s) {
    const SwitchId id(s);
    for (const FabricCable& cable : index.ups(id)) {
      const std::int64_t capacity = capacities.of(cable.link);
      if (capacities.of(cluster.link(cable.link).reverse) != capacity) return false;
      if (index.tier(id) == 1) {
        leaf_to_spine.add(s, cable.peer.value(), capacity);
      } else {
        spine_to_cores.add(index.class_of(id), s, capacity);
        core_from_class.add(core_group(cable.peer, id), cable.peer.value(), capacity);
      }
    }
  }
  return leaf_to_spine.are_even() && spine_to_cores.are_even() && core_from_class.are_even();
}

class BisectionProblem {
 public:
  BisectionProblem(const Cluster& cluster, const FabricIndex& index,
                   const LinkCapacities& capacities, Vertices vertices)
      : cluster_(cluster), index_(index), capacities_(capacities), vertices_(std::move(vertices)) {}

  [[nodiscard]] Cut solve() const {
    const std::uint32_t source = vertices_.count, sink = source + 1;
    std::vector<FlowArc> arcs;
    for_each_link([&](LinkId link, std::uint32_t from, std::uint32_t to) {
      arcs.push_back({from, to, capacities_.of(link)});
    });
    const MinCut found = min_cut(sink + 1, arcs, source, sink);
    Cut cut{Bandwidth::bits_per_second(found.flow), {}};
    for_each_link([&](LinkId link, std::uint32_t from, std::uint32_t to) {
      if (!found.source_side[from] || found.source_side[to] || capacities_.of(link) == 0) return;
      cut.links.push_back(link);
    });
    std::ranges::sort(cut.links);
    return cut;
  }

 private:
  // Visits the fabric links with the vertices that they connect. The NICs of the first half of the
  // nodes are the source vertex, the others the sink.
  template <class Visit>
  void for_each_link(Visit&& visit) const {
    const std::uint32_t source = vertices_.count, sink = source + 1;
    const std::size_t half = cluster_.node_count() / 2;
    for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
      const NodeId node(n);
      for (int nic = 0; nic < cluster_.shape(node).nic_count(); ++nic) {
        for (const NicPort& port : index_.ports(node, nic)) {
          const std::uint32_t leaf = vertices_.of_switch[port.leaf.index()];
          if (n < half) visit(port.up, source, leaf);
          if (n >= half) visit(port.down, leaf, sink);
        }
      }
    }
    for (std::size_t s = 0; s < index_.size(); ++s) {
      for (const Cables cables : {index_.ups(SwitchId(s)), index_.downs(SwitchId(s))}) {
        for (const FabricCable& cable : cables) {
          visit(cable.link, vertices_.of_switch[s], vertices_.of_switch[cable.peer.index()]);
        }
      }
    }
  }

  const Cluster& cluster_;
  const FabricIndex& index_;
  const LinkCapacities& capacities_;
  Vertices vertices_;
};

}  // namespace

Cut bisection(const Cluster& cluster, const Faults& faults, BisectionMethod method) {
  const FabricIndex index(cluster);
  const LinkCapacities capacities(cluster, faults);
  const bool can_fold =
      method != BisectionMethod::full && folds_exactly(cluster, index, capacities);
  if (method == BisectionMethod::folded && !can_fold) {
    throw InputError("", "", "the fabric is not even enough to be folded",
                     "ask for the full bisection");
  }
  return BisectionProblem(cluster, index, capacities, can_fold ? folded(index) : unfolded(index))
      .solve();
}

}  // namespace railyard::topology
