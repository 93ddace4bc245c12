#include "placement/mapping/unit_traffic.hpp"

#include <algorithm>

namespace railyard::placement {

class UnitTraffic::Sink {
 public:
  Sink(UnitTraffic& traffic, const Tiers& tiers, const Mapping& mapping)
      : traffic_(traffic), tiers_(tiers), rank_of_gpu_(tiers.cluster().rank_count(), 0) {
    for (std::size_t r = 0; r < mapping.size(); ++r)
      rank_of_gpu_[mapping.gpus[r].index()] = static_cast<std::uint32_t>(r);
  }

  void set_phase(std::size_t phase) { phase_ = static_cast<std::uint32_t>(phase); }
  void inside(Rank, Rank, double) {}
  void across(Rank from, Rank to, double bytes) {
    traffic_.edges_.push_back(
        {phase_, rank_of_gpu_[from.index()], rank_of_gpu_[to.index()], bytes});
  }
  void exchange(std::span<const Rank> gpus, double each) {
    const std::uint32_t node = tiers_.seat(gpus.front()).node;
    if (std::ranges::all_of(gpus, [&](Rank gpu) { return tiers_.seat(gpu).node == node; })) return;
    const auto first = static_cast<std::uint32_t>(traffic_.members_.size());
    for (const Rank gpu : gpus) traffic_.members_.push_back(rank_of_gpu_[gpu.index()]);
    traffic_.exchanges_.push_back(
        {phase_, each, first, static_cast<std::uint32_t>(traffic_.members_.size())});
  }

 private:
  UnitTraffic& traffic_;
  const Tiers& tiers_;
  std::vector<std::uint32_t> rank_of_gpu_;
  std::uint32_t phase_ = 0;
};

UnitTraffic::UnitTraffic(const Tiers& tiers, std::span<const TrafficPhase> phases,
                         const Mapping& mapping) {
  find_units(tiers, mapping);
  TrafficWalk walk(tiers);
  Sink sink(*this, tiers, mapping);
  for (std::size_t p = 0; p < phases.size(); ++p) {
    sink.set_phase(p);
    for (const Traffic& traffic : phases[p].traffic) walk(traffic, mapping, sink);
  }
  list_by_unit();
}

void UnitTraffic::find_units(const Tiers& tiers, const Mapping& mapping) {
  constexpr std::uint32_t kNoUnit = ~std::uint32_t{0};
  std::vector<std::uint32_t> unit_of_node(tiers.cluster().node_count(), kNoUnit);
  for (std::size_t r = 0; r < mapping.size(); ++r) {
    const Tiers::Seat& seat = tiers.seat(mapping.gpus[r]);
    std::uint32_t& unit = unit_of_node[seat.node];
    if (unit == kNoUnit) {
      unit = static_cast<std::uint32_t>(unit_nodes_.size());
      unit_nodes_.push_back(seat.node);
      ranks_.emplace_back();
    }
    unit_of_rank_.push_back(unit);
    local_gpu_.push_back(seat.gpu);
    ranks_[unit].push_back(static_cast<std::uint32_t>(r));
  }
}

void UnitTraffic::list_by_unit() {
  // Counting sort; an edge is listed with both its units, an exchange once with each.
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
      take(unit_of_rank_[edges_[e].from], static_cast<std::uint32_t>(e));
      take(unit_of_rank_[edges_[e].to], static_cast<std::uint32_t>(e));
    }
  });
  list(first_exchange_, exchange_list_, [&](auto&& take) {
    std::vector<std::size_t> seen(unit_count(), exchanges_.size());
    for (std::size_t x = 0; x < exchanges_.size(); ++x) {
      for (const std::uint32_t rank : members(exchanges_[x])) {
        std::size_t& last = seen[unit_of_rank_[rank]];
        if (last != x) take(unit_of_rank_[rank], static_cast<std::uint32_t>(x));
        last = x;
      }
    }
  });
}

}  // namespace railyard::placement
