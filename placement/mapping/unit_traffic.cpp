#include "placement/mapping/unit_traffic.hpp"

#include <algorithm>

namespace railyard::placement {
namespace {

constexpr std::uint32_t kNobody = ~std::uint32_t{0};

}  // namespace

/// A sink of TrafficWalk that merges flows between the same NICs (flat: units) into edges.
class UnitTraffic::Sink {
 public:
  Sink(UnitTraffic& traffic, const Tiers& tiers, const Mapping& mapping, bool pxn,
       bool in_pairs = false)
      : traffic_(traffic),
        tiers_(tiers),
        pxn_(pxn),
        in_pairs_(in_pairs),
        unit_on_(tiers.cluster().node_count(), kNobody) {
    for (std::size_t u = 0; u < traffic.unit_count(); ++u)
      unit_on_[traffic.node(u)] = static_cast<std::uint32_t>(u);
    for (const Rank gpu : mapping.gpus) {
      const Tiers::GpuPosition& position = tiers.gpu_position(gpu);
      const auto nics =
          static_cast<std::size_t>(tiers.cluster().shape(NodeId(position.node)).nic_count());
      nics_ = std::max(nics_, traffic.flat_ ? 1 : nics);
    }
    last_edge_.resize(traffic.unit_count() * nics_);
    last_exchange_.resize(traffic.unit_count());
    list_of_.assign(traffic.unit_count(), kNobody);
  }

  void set_phase(std::size_t phase) {
    phase_ = static_cast<std::uint32_t>(phase);
    std::ranges::fill(last_edge_, kNobody);
    std::ranges::fill(last_exchange_, kNobody);
    older_.clear();
    first_ = traffic_.edges_.size();
  }
  void inside(Rank, Rank, double) {}
  void across(Rank from, Rank to, double bytes) {
    const Tiers::GpuPosition *a = &tiers_.gpu_position(from), *b = &tiers_.gpu_position(to);
    if (pxn_ && a->rail != b->rail) {
      const Rank proxy = tiers_.on_rail(a->node, b->rail);
      if (!proxy.is_none()) a = &tiers_.gpu_position(proxy);
    }
    const auto out = tiers_.nics_at(*a), in = tiers_.nics_at(*b);
    const std::size_t ways = std::max(out.size(), in.size());
    if (out.empty() || in.empty()) return;  // no NIC connected; the score reports it
    for (std::size_t w = 0; w < ways; ++w) {
      add(*a, out[w % out.size()], *b, in[w % in.size()], bytes / static_cast<double>(ways));
    }
  }
  void exchange(std::span<const Rank> gpus, double each) {
    if (in_pairs_) return pair_up(gpus, each);
    const std::uint32_t node = tiers_.gpu_position(gpus.front()).node;
    if (std::ranges::all_of(gpus, [&](Rank gpu) { return tiers_.gpu_position(gpu).node == node; }))
      return;
    const auto first = static_cast<std::uint32_t>(traffic_.members_.size());
    for (const Rank gpu : gpus) add_member(tiers_.gpu_position(gpu), first);
    const auto last = static_cast<std::uint32_t>(traffic_.members_.size());
    for (std::uint32_t m = first; m < last; ++m) list_of_[traffic_.members_[m].unit] = kNobody;
    const Exchange found{phase_, each, 1, first, last};
    std::uint32_t& before = last_exchange_[traffic_.members_[first].unit];
    if (traffic_.flat_ && before != kNobody && is_same(traffic_.exchanges_[before], found)) {
      traffic_.exchanges_[before].copies += 1;
      traffic_.members_.resize(first);
      return;
    }
    before = static_cast<std::uint32_t>(traffic_.exchanges_.size());
    traffic_.exchanges_.push_back(found);
  }

 private:
  // Adds one edge per pair. They are not merged, because few pairs share both NICs.
  void pair_up(std::span<const Rank> gpus, double each) {
    is_merging_ = false;
    for (const Rank from : gpus) {
      for (const Rank to : gpus) {
        if (tiers_.gpu_position(from).node != tiers_.gpu_position(to).node) across(from, to, each);
      }
    }
    is_merging_ = true;
  }

  void add_member(const Tiers::GpuPosition& position, std::uint32_t first) {
    const std::uint32_t unit = unit_on_[position.node];
    if (traffic_.flat_ && list_of_[unit] != kNobody) {
      ++traffic_.members_[first + list_of_[unit]].ranks;
      return;
    }
    list_of_[unit] = static_cast<std::uint32_t>(traffic_.members_.size()) - first;
    traffic_.members_.push_back({unit, traffic_.flat_ ? 0 : position.gpu, 1});
  }

  [[nodiscard]] bool is_same(const Exchange& a, const Exchange& b) const {
    return a.each == b.each && std::ranges::equal(traffic_.members(a), traffic_.members(b),
                                                  [](const Member& x, const Member& y) {
                                                    return x.unit == y.unit && x.ranks == y.ranks;
                                                  });
  }

  // Adds bytes to the edge between two NICs (flat: units). The edges that a NIC sends in this phase
  // are a linked list, newest first.
  void add(const Tiers::GpuPosition& a, std::uint32_t out, const Tiers::GpuPosition& b,
           std::uint32_t in, double bytes) {
    const bool flat = traffic_.flat_;
    const auto local = [&](std::uint32_t nic, std::uint32_t node) {
      return flat ? std::uint16_t{0} : static_cast<std::uint16_t>(nic - tiers_.first_nic(node));
    };
    const Edge edge{
        phase_, unit_on_[a.node], unit_on_[b.node], local(out, a.node), local(in, b.node),
        bytes,  bytes * bytes};
    if (!is_merging_) {
      older_.push_back(kNobody);
      traffic_.edges_.push_back(edge);
      return;
    }
    std::uint32_t& newest = last_edge_[edge.from * nics_ + edge.from_nic];
    for (std::uint32_t e = newest; e != kNobody; e = older_[e - first_]) {
      Edge& other = traffic_.edges_[e];
      if (other.to != edge.to || other.to_nic != edge.to_nic) continue;
      other.bytes += edge.bytes;
      other.squares += edge.squares;
      return;
    }
    older_.push_back(newest);
    newest = static_cast<std::uint32_t>(traffic_.edges_.size());
    traffic_.edges_.push_back(edge);
  }

  UnitTraffic& traffic_;
  const Tiers& tiers_;
  bool pxn_, in_pairs_;
  bool is_merging_ = true;
  std::vector<std::uint32_t> unit_on_;
  std::size_t nics_ = 1;
  std::uint32_t phase_ = 0;
  std::size_t first_ = 0;                 ///< edge of this phase
  std::vector<std::uint32_t> last_edge_;  ///< newest edge of each NIC
  std::vector<std::uint32_t> older_;      ///< edge of the same NIC, by edge from first_ on
  std::vector<std::uint32_t> last_exchange_, list_of_;
};

UnitTraffic::UnitTraffic(const Tiers& tiers, std::span<const TrafficPhase> phases,
                         const Mapping& mapping, bool pxn, bool flat)
    : flat_(flat) {
  find_units(tiers, mapping);
  TrafficWalk walk(tiers);
  Sink sink(*this, tiers, mapping, pxn);
  for (std::size_t p = 0; p < phases.size(); ++p) {
    sink.set_phase(p);
    for (const Traffic& traffic : phases[p].traffic) walk(traffic, mapping, sink);
  }
  list_by_unit();
}

UnitTraffic UnitTraffic::of_pairs(const Tiers& tiers, std::span<const TrafficPhase> phases,
                                  const std::vector<bool>& is_asked, const Mapping& mapping,
                                  bool pxn) {
  UnitTraffic pairs;
  pairs.find_units(tiers, mapping);
  TrafficWalk walk(tiers);
  Sink sink(pairs, tiers, mapping, pxn, true);
  for (std::size_t p = 0; p < phases.size(); ++p) {
    if (!is_asked[p]) continue;
    sink.set_phase(p);
    for (const Traffic& traffic : phases[p].traffic) walk(traffic, mapping, sink);
  }
  pairs.list_by_unit();
  return pairs;
}

void UnitTraffic::find_units(const Tiers& tiers, const Mapping& mapping) {
  std::vector<std::uint32_t> unit_of_node(tiers.cluster().node_count(), kNobody);
  unit_of_rank_.reserve(mapping.size());
  local_gpu_.reserve(mapping.size());
  for (const Rank gpu : mapping.gpus) {
    const Tiers::GpuPosition& position = tiers.gpu_position(gpu);
    std::uint32_t& unit = unit_of_node[position.node];
    if (unit == kNobody) {
      unit = static_cast<std::uint32_t>(unit_nodes_.size());
      unit_nodes_.push_back(position.node);
    }
    unit_of_rank_.push_back(unit);
    local_gpu_.push_back(position.gpu);
  }
  first_gpu_.assign(unit_count() + 1, 0);
  for (const std::uint32_t unit : unit_of_rank_) ++first_gpu_[unit + 1];
  for (std::size_t u = 0; u < unit_count(); ++u) first_gpu_[u + 1] += first_gpu_[u];
  gpu_list_.resize(mapping.size());
  std::vector<std::uint32_t> next(first_gpu_.begin(), first_gpu_.end() - 1);
  for (std::size_t r = 0; r < mapping.size(); ++r)
    gpu_list_[next[unit_of_rank_[r]]++] = local_gpu_[r];
}

Mapping UnitTraffic::mapping(const Tiers& tiers, std::span<const std::uint32_t> nodes) const {
  Mapping mapping;
  mapping.gpus.reserve(rank_count());
  for (std::size_t r = 0; r < rank_count(); ++r) {
    const NodeId node(nodes[unit_of_rank_[r]]);
    mapping.gpus.emplace_back(tiers.cluster().node(node).first_rank.value() + local_gpu_[r]);
  }
  return mapping;
}

void UnitTraffic::list_by_unit() {
  // Counting sort. Both units of an edge list it; each unit of an exchange lists it once.
  const auto list = [&](std::vector<std::uint32_t>& first, std::vector<std::uint32_t>& items,
                        auto&& for_each_pair) {
    first.assign(unit_count() + 1, 0);
    for_each_pair([&](std::uint32_t unit, std::uint32_t) { ++first[unit + 1]; });
    for (std::size_t u = 0; u < unit_count(); ++u) first[u + 1] += first[u];
    items.resize(first.back());
    std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
    for_each_pair([&](std::uint32_t unit, std::uint32_t item) { items[next[unit]++] = item; });
  };
  list(first_edge_, edge_list_, [&](auto&& take) {
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      take(edges_[e].from, static_cast<std::uint32_t>(e));
      take(edges_[e].to, static_cast<std::uint32_t>(e));
    }
  });
  list(first_exchange_, exchange_list_, [&](auto&& take) {
    std::vector<std::size_t> seen(unit_count(), exchanges_.size());
    for (std::size_t x = 0; x < exchanges_.size(); ++x) {
      for (const Member& member : members(exchanges_[x])) {
        std::size_t& last = seen[member.unit];
        if (last != x) take(member.unit, static_cast<std::uint32_t>(x));
        last = x;
      }
    }
  });
}

}  // namespace railyard::placement
