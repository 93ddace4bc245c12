#include "topology/fabric/fabric_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "topology/cluster/topology_names.hpp"

namespace railyard::topology {
namespace {

constexpr unsigned bit(FabricKind kind) { return 1U << static_cast<unsigned>(kind); }
constexpr unsigned kRailKinds = bit(FabricKind::rail_clos) | bit(FabricKind::dual_plane);
constexpr unsigned kThreeTier = bit(FabricKind::clos3) | kRailKinds;
constexpr unsigned kTwoTier = bit(FabricKind::leaf_spine) | kThreeTier;

/// A parameter that only some kinds of fabric support.
struct Parameter {
  std::string_view key;
  unsigned kinds;  ///< bit mask of the kinds that support it
  bool (*is_given)(const FabricSpec&);
};
constexpr std::array<Parameter, 11> kParameters{{
    {"fabric_bandwidth", kTwoTier | bit(FabricKind::fat_tree),
     [](const FabricSpec& spec) { return spec.fabric_bandwidth.has_value(); }},
    {"nodes_per_unit", kTwoTier | bit(FabricKind::rail_only) | bit(FabricKind::fat_tree),
     [](const FabricSpec& spec) { return spec.nodes_per_unit.has_value(); }},
    {"units_per_pod", kThreeTier,
     [](const FabricSpec& spec) { return spec.units_per_pod.has_value(); }},
    {"spines_per_pod", kTwoTier,
     [](const FabricSpec& spec) { return spec.spines_per_pod.has_value(); }},
    {"cores", kThreeTier, [](const FabricSpec& spec) { return spec.cores.has_value(); }},
    {"leaf_oversubscription", kTwoTier,
     [](const FabricSpec& spec) { return spec.leaf_oversubscription != 1.0; }},
    {"spine_oversubscription", kThreeTier,
     [](const FabricSpec& spec) { return spec.spine_oversubscription != 1.0; }},
    {"k", bit(FabricKind::fat_tree), [](const FabricSpec& spec) { return spec.k.has_value(); }},
    {"tiers", kRailKinds, [](const FabricSpec& spec) { return spec.tiers != 3; }},
    {"switches", bit(FabricKind::explicit_list),
     [](const FabricSpec& spec) { return !spec.switches.empty(); }},
    {"cables", bit(FabricKind::explicit_list),
     [](const FabricSpec& spec) { return !spec.cables.empty(); }},
}};

std::string kinds_text(unsigned kinds) {
  std::string text;
  for (const auto& [kind, name] : core::EnumNames<FabricKind>::table) {
    if ((kinds & bit(kind)) == 0) continue;
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

class FabricCheck {
 public:
  explicit FabricCheck(const FabricSpec& spec) : spec_(spec) {}

  std::vector<FabricProblem> run() && {
    for (const Parameter& parameter : kParameters) {
      if (parameter.is_given(spec_) && (parameter.kinds & bit(spec_.kind)) == 0)
        add(parameter.key,
            fmt::format("a {} fabric does not have this parameter", to_text(spec_.kind)),
            "fabrics that have it: " + kinds_text(parameter.kinds));
    }
    check_ranges();
    check_needed();
    return std::move(problems_);
  }

 private:
  void add(std::string_view key, std::string message, std::string hint = {}) {
    problems_.push_back({std::string(key), std::move(message), std::move(hint)});
  }

  void need_positive(std::string_view key, const std::optional<int>& value) {
    if (value && *value < 1) add(key, fmt::format("must be at least 1, not {}", *value));
  }

  void check_ranges() {
    need_positive("nodes_per_unit", spec_.nodes_per_unit);
    need_positive("units_per_pod", spec_.units_per_pod);
    need_positive("spines_per_pod", spec_.spines_per_pod);
    need_positive("cores", spec_.cores);
    need_positive("mtu", spec_.mtu);
    if (spec_.k && (*spec_.k < 2 || *spec_.k % 2 != 0))
      add("k", fmt::format("must be an even number of ports, at least 2, not {}", *spec_.k));
    if (spec_.tiers != 2 && spec_.tiers != 3)
      add("tiers", fmt::format("must be 2 or 3, not {}", spec_.tiers));
    if (spec_.port_latency < Time()) add("port_latency", "must not be negative");
    if (spec_.switch_latency < Time()) add("switch_latency", "must not be negative");
    if (spec_.packet_overhead && *spec_.packet_overhead < Bytes())
      add("packet_overhead", "must not be negative");
    need_ratio("leaf_oversubscription", spec_.leaf_oversubscription);
    need_ratio("spine_oversubscription", spec_.spine_oversubscription);
    if (spec_.routing.qps < 1) add("/routing/qps", "must be at least 1");
  }

  void need_ratio(std::string_view key, double ratio) {
    if (!std::isfinite(ratio) || ratio <= 0)
      add(key, fmt::format("must be greater than 0, not {}", ratio), "1.0 is non-blocking");
  }

  void check_needed() {
    const unsigned kind = bit(spec_.kind);
    if ((kind & kTwoTier) != 0 && !spec_.nodes_per_unit)
      add("nodes_per_unit", fmt::format("a {} fabric requires it", to_text(spec_.kind)),
          "the number of nodes that share a leaf switch");
    if (spec_.kind == FabricKind::fat_tree && !spec_.k)
      add("k", "a fat_tree fabric requires it", "the number of ports of a switch");
    const bool has_pods =
        (kind & kThreeTier) != 0 && (spec_.kind == FabricKind::clos3 || spec_.tiers == 3);
    if (has_pods && !spec_.units_per_pod)
      add("units_per_pod",
          fmt::format("a {} fabric of three tiers requires it", to_text(spec_.kind)),
          "the number of units that share spine switches");
    if ((kind & kRailKinds) != 0 && spec_.tiers == 2) forbid_in_two_tiers();
    if (spec_.kind == FabricKind::explicit_list && spec_.switches.empty())
      add("switches", "an explicit fabric needs at least one switch");
  }

  void forbid_in_two_tiers() {
    constexpr std::string_view kHint = "leave it out, or set tiers to 3";
    if (spec_.units_per_pod)
      add("units_per_pod", "a fabric of two tiers has no pods", std::string(kHint));
    if (spec_.cores) add("cores", "a fabric of two tiers has no core switches", std::string(kHint));
    if (spec_.spine_oversubscription != 1.0)
      add("spine_oversubscription", "a fabric of two tiers has no switches above the spines",
          std::string(kHint));
  }

  const FabricSpec& spec_;
  std::vector<FabricProblem> problems_;
};

}  // namespace

std::string_view to_text(FabricKind kind) { return core::enum_name(kind); }
std::string_view to_text(Transport transport) { return core::enum_name(transport); }

std::vector<FabricProblem> check_fabric(const FabricSpec& spec) { return FabricCheck(spec).run(); }

}  // namespace railyard::topology
