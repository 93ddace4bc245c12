#include "sim/analytic/share_links.hpp"

#include <algorithm>
#include <limits>

namespace railyard::sim {
namespace {

/// The tasks on a link.
struct Users {
  std::size_t count = 0;
  double bytes = 0;
  Time first = Time::never(), last;
};

}  // namespace

void share_links(const topology::Cluster& cluster, std::span<const double> capacities,
                 std::span<const TaskBytes> bytes, std::span<collectives::TaskResult> tasks) {
  if (tasks.size() < 2) return;
  std::vector<Users> users(capacities.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (const auto& [link, carried] : bytes[i]) {
      Users& all = users[link.index()];
      ++all.count;
      all.bytes += carried;
      all.first = std::min(all.first, tasks[i].start);
      all.last = std::max(all.last, tasks[i].finish);
    }
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Time missing;
    LinkId worst = LinkId::none();
    for (const auto& [link, carried] : bytes[i]) {
      const Users& all = users[link.index()];
      if (all.count < 2) continue;
      const Time needed = Time::from_seconds(all.bytes / capacities[link.index()]);
      if (needed - (all.last - all.first) <= missing) continue;
      missing = needed - (all.last - all.first);
      worst = link;
    }
    if (worst.is_none()) continue;
    tasks[i].finish += missing;
    tasks[i].bound_by = {.text = cluster.name(worst), .link = worst, .utilisation = 1};
  }
}

}  // namespace railyard::sim
