#include "collectives/workload/rank_classes.hpp"

#include <algorithm>
#include <unordered_map>

namespace railyard::collectives {
namespace {

using Colour = std::uint64_t;
using Colours = std::vector<Colour>;

/// SplitMix64 (Steele et al., OOPSLA 2014).
Colour mixed(Colour value) {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}
Colour mixed(Colour a, Colour b) { return mixed(mixed(a) + b); }
Colour mixed(Colour a, Colour b, Colour c) { return mixed(mixed(a, b), c); }

struct AllColours {
  Colours ranks, transports, links;
};

std::size_t different(Colours colours) {
  std::sort(colours.begin(), colours.end());
  return static_cast<std::size_t>(std::unique(colours.begin(), colours.end()) - colours.begin());
}

std::size_t different(const AllColours& all) {
  return different(all.ranks) + different(all.transports) + different(all.links);
}

std::span<const PhysicalLoads::Crossing> crossings_of(const PhysicalLoads& physical,
                                                      std::size_t load) {
  const std::size_t first = load == 0 ? 0 : physical.ends[load - 1];
  return std::span(physical.crossings).subspan(first, physical.ends[load] - first);
}

/// Refines colours until their number no longer grows.
class Refinement {
 public:
  Refinement(const Communications& c, const PhysicalLoads* physical) : c_(c), physical_(physical) {
    const Workload& w = c.workload();
    for (std::uint32_t rank = 0; rank < w.ranks(); ++rank)
      now_.ranks.push_back(w.roles()[w.role_of(rank)].program);
    for (const Transport& transport : c.transports())
      now_.transports.push_back(transport.is_message() ? ~Colour{0} : transport.family);
    if (physical != nullptr) now_.links = physical->link_kinds;
  }

  AllColours run() {
    for (std::size_t count = 0;;) {
      refine_transports();
      refine_ranks();
      refine_links();
      const std::size_t found = different(now_);
      if (found == count) return std::move(now_);
      count = found;
    }
  }

 private:
  /// The loads of a transport. For a message also the uses of both ends, which determine the
  /// operations that meet.
  void refine_transports() {
    Colours next(now_.transports.size());
    for (std::size_t i = 0; i < c_.loads().size(); ++i) {
      const Load& load = c_.loads()[i];
      Colour sum = 0;
      if (physical_ != nullptr) {
        sum = mixed(physical_->kinds[i]);
        for (const auto& [link, how] : crossings_of(*physical_, i))
          sum += mixed(now_.links[link], how);
      }
      next[load.transport] += mixed(load.shape, sum);
    }
    each_use([&](std::uint32_t rank, std::size_t use, std::uint32_t transport, Colour end) {
      next[transport] += mixed(now_.ranks[rank], end, use);
    });
    for (std::size_t t = 0; t < next.size(); ++t) next[t] = mixed(now_.transports[t], next[t]);
    now_.transports = std::move(next);
  }

  void refine_ranks() {
    Colours next(now_.ranks.size());
    each_use([&](std::uint32_t rank, std::size_t use, std::uint32_t transport, Colour end) {
      next[rank] += mixed(now_.transports[transport], end, use);
    });
    for (std::size_t r = 0; r < next.size(); ++r) next[r] = mixed(now_.ranks[r], next[r]);
    now_.ranks = std::move(next);
  }

  void refine_links() {
    if (physical_ == nullptr) return;
    Colours next(now_.links.size());
    for (std::size_t i = 0; i < c_.loads().size(); ++i)
      for (const auto& [link, how] : crossings_of(*physical_, i))
        next[link] += mixed(now_.transports[c_.loads()[i].transport], c_.loads()[i].shape, how);
    for (std::size_t l = 0; l < next.size(); ++l) next[l] = mixed(now_.links[l], next[l]);
    now_.links = std::move(next);
  }

  template <typename Visit>
  void each_use(Visit&& visit) const {
    const Workload& w = c_.workload();
    for (std::uint32_t rank = 0; rank < w.ranks(); ++rank) {
      const auto uses = c_.uses(w.roles()[w.role_of(rank)].program);
      for (std::size_t use = 0; use < uses.size(); ++use)
        visit(rank, use, c_.transport_of(rank, use), static_cast<Colour>(uses[use].operation.kind));
    }
  }

  const Communications& c_;
  const PhysicalLoads* physical_;
  AllColours now_;
};

/// Numbers classes by their first member.
std::vector<std::vector<std::uint32_t>> members_by_class(const Colours& colours,
                                                         std::vector<std::uint32_t>& of) {
  std::vector<std::vector<std::uint32_t>> members;
  std::unordered_map<Colour, std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < colours.size(); ++i) {
    const auto [known, is_new] =
        numbers.try_emplace(colours[i], static_cast<std::uint32_t>(members.size()));
    if (is_new) members.emplace_back();
    members[known->second].push_back(i);
    of.push_back(known->second);
  }
  return members;
}

Colours each_its_own(std::size_t count) {
  Colours colours(count);
  for (std::size_t i = 0; i < count; ++i) colours[i] = i;
  return colours;
}

}  // namespace

RankClasses rank_classes(const Communications& c, const PhysicalLoads* physical, bool expand) {
  const std::size_t links = physical == nullptr ? 0 : physical->link_kinds.size();
  const AllColours colours =
      expand ? AllColours{each_its_own(c.workload().ranks()), each_its_own(c.transports().size()),
                          each_its_own(links)}
             : Refinement(c, physical).run();
  RankClasses classes;
  classes.ranks = members_by_class(colours.ranks, classes.of_rank);
  classes.transports = members_by_class(colours.transports, classes.of_transport);
  classes.links = members_by_class(colours.links, classes.of_link);
  return classes;
}

}  // namespace railyard::collectives
