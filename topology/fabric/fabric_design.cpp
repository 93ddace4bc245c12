#include "topology/fabric/fabric_design.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "topology/cluster/cluster.hpp"

namespace railyard::topology {
namespace {

int divide_up(int a, int b) { return (a + b - 1) / b; }

/// `value` as an integer, if it is one apart from the rounding of ratios such as 1.3333.
std::optional<int> whole(double value) {
  const double nearest = std::round(value);
  if (nearest < 1 || nearest > 1e6 || std::abs(value - nearest) > 1e-4 * nearest) return {};
  return static_cast<int>(nearest);
}

std::vector<int> divisors(int n) {
  std::vector<int> found;
  for (int d = 1; d <= n; ++d)
    if (n % d == 0) found.push_back(d);
  return found;
}

/// Values that a search keeps fixed; 0 means free.
struct Fixed {
  int nodes_per_unit = 0;
  int units_per_pod = 0;
  const FabricSpec* near = nullptr;  ///< also try oversubscriptions close to those of this fabric
  bool grows = false;  ///< reserve uplink ports on spines even if there is only one pod
};

/// Numbers of uplinks to try for a switch with `down` downlinks. Normally only the number that the
/// oversubscription requires. If `nearby`, also the numbers next to it, the multiples of `above`
/// around it, and all remaining ports.
std::vector<int> uplink_counts(int down, double oversubscription, int radix, bool nearby,
                               int above) {
  const double asked = down / oversubscription;
  if (!nearby) {
    const auto up = whole(asked);
    return up && down + *up <= radix ? std::vector{*up} : std::vector<int>{};
  }
  std::set<int> counts{radix - down};
  const int below = static_cast<int>(std::floor(std::min(asked, 1e6)));
  for (int up = below - 1; up <= below + 2; ++up) counts.insert(up);
  for (int k = -1; above > 0 && k <= 2; ++k) counts.insert((below / above + k) * above);
  std::erase_if(counts, [&](int up) { return up < 1 || down + up > radix; });
  return {counts.begin(), counts.end()};
}

using Visit = std::function<void(const FabricDesign&)>;

/// Enumerates the designs of Clos fabrics of units (leaf_spine, clos3, rail_clos, rail_only,
/// dual_plane).
class Enumeration {
 public:
  Enumeration(const DesignRequest& request, const Fixed& fixed, const Visit& visit)
      : request_(request),
        fixed_(fixed),
        visit_(visit),
        has_rails_(request.kind != FabricKind::leaf_spine && request.kind != FabricKind::clos3),
        planes_(request.kind == FabricKind::dual_plane ? 2 : 1),
        port_(request.demand.nic_rate / planes_),
        leaves_per_unit_(has_rails_ ? request.demand.rails : 1),
        nics_on_leaf_(has_rails_ ? request.demand.nics_of_rail : request.demand.nics) {
    for (std::size_t tier = 0; tier < radix_.size(); ++tier)
      radix_[tier] = ports_at(request.models[tier], port_).value_or(0);
  }

  /// Tiers 1 (rail_only), 2 or 3.
  void run(int tiers) {
    tiers_ = tiers;
    const int nodes = request_.demand.nodes;
    if (tiers == 1) {
      if (nodes * nics_on_leaf_ <= radix_[0]) one_tier();
      return;
    }
    for (int n = 1; n * nics_on_leaf_ < radix_[0]; ++n) {
      if (fixed_.nodes_per_unit > 0 && n != fixed_.nodes_per_unit) continue;
      const int down = n * nics_on_leaf_;
      const int spines = fixed_.near ? fixed_.near->spines_per_pod.value_or(0) : 0;
      for (const int up : uplink_counts(down, request_.leaf_oversubscription, radix_[0],
                                        fixed_.near != nullptr, spines))
        of_unit(n, down, up);
    }
  }

 private:
  void one_tier() {
    const int nodes = request_.demand.nodes;
    FabricDesign design = start(nodes);
    design.tiers[0] = {.switches = leaves_per_unit_, .down = nodes * nics_on_leaf_, .up = 0};
    visit_(design);
  }

  [[nodiscard]] FabricDesign start(int nodes_per_unit) const {
    FabricDesign design;
    design.planes = planes_;
    design.fabric.kind = request_.kind;
    design.fabric.nodes_per_unit = nodes_per_unit;
    design.nic_links = std::int64_t{planes_} * request_.demand.nodes * request_.demand.nics;
    return design;
  }

  void of_unit(int n, int down, int up) {
    const int units = divide_up(request_.demand.nodes, n);
    FabricDesign design = start(n);
    const int leaves = units * leaves_per_unit_;
    design.tiers[0] = {.switches = std::int64_t{planes_} * leaves, .down = down, .up = up};
    design.fabric.leaf_oversubscription = static_cast<double>(down) / up;
    design.leaf_links = std::int64_t{planes_} * leaves * up;
    for (const int parallel : divisors(up)) {
      design.fabric.spines_per_pod = up / parallel;
      if (tiers_ == 2)
        two_tiers(design, leaves, parallel);
      else
        three_tiers(design, units, parallel);
    }
  }

  void two_tiers(FabricDesign design, int leaves, int parallel) {
    if (leaves * parallel > radix_[1]) return;
    if (request_.kind != FabricKind::leaf_spine) design.fabric.tiers = 2;
    design.tiers[1] = {.switches = std::int64_t{planes_} * *design.fabric.spines_per_pod,
                       .down = leaves * parallel,
                       .up = 0};
    visit_(design);
  }

  void three_tiers(const FabricDesign& unit, int units, int parallel) {
    for (int p = 1; p <= units; ++p) {
      if (fixed_.units_per_pod > 0 && p != fixed_.units_per_pod) continue;
      const int down = p * leaves_per_unit_ * parallel;
      if (down > radix_[1]) break;
      const int pods = divide_up(units, p);
      if (pods == 1 && !fixed_.grows) {
        one_pod(unit, p, down);
      } else {
        const int spines = *unit.fabric.spines_per_pod;
        const int cores = fixed_.near ? fixed_.near->cores.value_or(0) / spines : 0;
        for (const int up : uplink_counts(down, request_.spine_oversubscription, radix_[1],
                                          fixed_.near != nullptr, cores))
          pods > 1 ? of_pods(unit, {p, pods, down, up}) : one_pod(unit, p, down);
      }
    }
  }

  /// A three-tier fabric with only one pod, which needs no cores yet.
  void one_pod(FabricDesign design, int units_per_pod, int down) {
    if (request_.kind != FabricKind::clos3 && request_.tiers != 3) return;
    design.fabric.units_per_pod = units_per_pod;
    design.tiers[1] = {
        .switches = std::int64_t{planes_} * *design.fabric.spines_per_pod, .down = down, .up = 0};
    visit_(design);
  }

  struct Pods {
    int units, pods, down, up;
  };
  void of_pods(FabricDesign design, const Pods& pods) {
    const int spines = *design.fabric.spines_per_pod;
    design.fabric.units_per_pod = pods.units;
    design.fabric.spine_oversubscription = static_cast<double>(pods.down) / pods.up;
    const std::int64_t all_spines = std::int64_t{planes_} * spines * pods.pods;
    design.tiers[1] = {.switches = all_spines, .down = pods.down, .up = pods.up};
    design.spine_links = all_spines * pods.up;
    for (const int parallel : divisors(pods.up)) {
      const int ports = pods.pods * parallel;
      if (ports > radix_[2]) break;
      design.fabric.cores = spines * (pods.up / parallel);
      design.tiers[2] = {
          .switches = std::int64_t{planes_} * *design.fabric.cores, .down = ports, .up = 0};
      visit_(design);
    }
  }

  const DesignRequest& request_;
  Fixed fixed_;
  const Visit& visit_;
  bool has_rails_;
  int planes_;
  Bandwidth port_;
  int leaves_per_unit_;
  int nics_on_leaf_;
  int tiers_ = 2;
  std::array<int, 3> radix_{};
};

/// Enumerates k-ary fat trees whose NICs fill the leaves in order (fat_tree.hpp).
void enumerate_fat_trees(const DesignRequest& request, const Visit& visit) {
  int radix = std::numeric_limits<int>::max();
  for (const SwitchModel& model : request.models)
    radix = std::min(radix, ports_at(model, request.demand.nic_rate).value_or(0));
  const std::int64_t nics = std::int64_t{request.demand.nodes} * request.demand.nics;
  for (int k = 2; k <= radix; k += 2) {
    const int half = k / 2;
    const std::int64_t leaves = (nics + half - 1) / half;
    if (leaves > std::int64_t{2} * half * half) continue;
    const std::int64_t pods = (leaves + half - 1) / half;
    FabricDesign design;
    design.fabric.kind = FabricKind::fat_tree;
    design.fabric.k = k;
    design.nic_links = nics;
    design.tiers[0] = {.switches = leaves, .down = half, .up = leaves > 1 ? half : 0};
    if (leaves > 1) {
      design.leaf_links = leaves * half;
      design.tiers[1] = {.switches = pods * half, .down = half, .up = pods > 1 ? half : 0};
    }
    if (pods > 1) {
      design.spine_links = pods * half * half;
      design.tiers[2] = {
          .switches = std::int64_t{half} * half, .down = static_cast<int>(pods), .up = 0};
    }
    visit(design);
  }
}

void enumerate(const DesignRequest& request, const Fixed& fixed, const Visit& visit) {
  if (request.demand.nics < 1 || request.demand.nodes < 1) return;
  if (request.kind == FabricKind::fat_tree) return enumerate_fat_trees(request, visit);
  Enumeration designs(request, fixed, visit);
  switch (request.kind) {
    case FabricKind::rail_only: return designs.run(1);
    case FabricKind::leaf_spine: return designs.run(2);
    case FabricKind::clos3: return designs.run(3);
    case FabricKind::rail_clos:
    case FabricKind::dual_plane:
      if (request.tiers != 3) designs.run(2);
      if (request.tiers != 2) designs.run(3);
      return;
    default: return;
  }
}

bool is_smaller(const FabricDesign& a, const FabricDesign& b) {
  const auto size = [](const FabricDesign& d) {
    return std::array{d.switches(), d.leaf_links + d.spine_links, d.tiers[2].switches,
                      -std::int64_t{d.fabric.nodes_per_unit.value_or(0)}};
  };
  return size(a) < size(b);
}

double distance(double a, double b) { return a > 0 && b > 0 ? std::abs(std::log(a / b)) : 0; }

double distance(const std::optional<int>& a, const std::optional<int>& b) {
  return a && b ? distance(*a, *b) : 0;
}

double distance(const FabricSpec& a, const FabricSpec& b) {
  return 4 * distance(a.leaf_oversubscription, b.leaf_oversubscription) +
         4 * distance(a.spine_oversubscription, b.spine_oversubscription) +
         distance(a.nodes_per_unit, b.nodes_per_unit) + distance(a.units_per_pod, b.units_per_pod) +
         distance(a.spines_per_pod, b.spines_per_pod) + distance(a.cores, b.cores) +
         distance(a.k, b.k);
}

std::optional<FabricDesign> with_models(std::optional<FabricDesign> design,
                                        const DesignRequest& request) {
  if (!design) return design;
  for (std::size_t tier = 0; tier < request.models.size(); ++tier)
    design->fabric.models[tier] = request.models[tier];
  return design;
}

}  // namespace

FabricDemand demand_of(const NodeSpec& node, int nodes) {
  const NodeShape shape(node);
  FabricDemand demand{.nodes = nodes, .nics = shape.nic_count()};
  std::map<int, int> nics_of_rail;
  for (int nic = 0; nic < shape.nic_count(); ++nic) {
    demand.nic_rate = std::max(demand.nic_rate, shape.nic_rate(nic));
    demand.rails = std::max(demand.rails, shape.rail_of_nic(nic) + 1);
    demand.nics_of_rail = std::max(demand.nics_of_rail, ++nics_of_rail[shape.rail_of_nic(nic)]);
  }
  return demand;
}

FabricDemand demand_of(const Cluster& cluster) {
  FabricDemand demand;
  for (const NodeSpec& node : cluster.spec().node_specs) {
    const FabricDemand own = demand_of(node, 0);
    demand.nics = std::max(demand.nics, own.nics);
    demand.rails = std::max(demand.rails, own.rails);
    demand.nics_of_rail = std::max(demand.nics_of_rail, own.nics_of_rail);
    demand.nic_rate = std::max(demand.nic_rate, own.nic_rate);
  }
  demand.nodes = static_cast<int>(cluster.node_count());
  return demand;
}

std::optional<FabricDesign> smallest_design(const DesignRequest& request) {
  std::optional<FabricDesign> best;
  enumerate(request, {}, [&](const FabricDesign& design) {
    if (!best || is_smaller(design, *best)) best = design;
  });
  return with_models(best, request);
}

int most_nodes(const DesignRequest& request) {
  const auto exists = [&](int nodes) {
    DesignRequest asked = request;
    asked.demand.nodes = nodes;
    return smallest_design(asked).has_value();
  };
  // A part of a buildable fabric is buildable. So there is a largest number of nodes, and bisection
  // finds it.
  int below = 0, above = 1;
  constexpr int kMost = 1 << 20;
  while (above <= kMost && exists(above)) {
    below = above;
    above *= 2;
  }
  while (above - below > 1) {
    const int middle = below + (above - below) / 2;
    (exists(middle) ? below : above) = middle;
  }
  return below;
}

std::optional<FabricDesign> nearest_design(const DesignRequest& request, const FabricSpec& wanted) {
  std::optional<FabricDesign> best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](const FabricDesign& design) {
    const double away = distance(design.fabric, wanted);
    if (away < least || (away == least && is_smaller(design, *best))) {
      least = away;
      best = design;
    }
  };
  const int unit = wanted.nodes_per_unit.value_or(0), pod = wanted.units_per_pod.value_or(0);
  // Keep nodes_per_unit and units_per_pod of the file if possible.
  for (const Fixed& fixed : {Fixed{unit, pod, &wanted, true}, Fixed{unit, 0, &wanted, true},
                             Fixed{0, 0, nullptr, true}}) {
    enumerate(request, fixed, consider);
    if (best) break;
  }
  return with_models(best, request);
}

}  // namespace railyard::topology
