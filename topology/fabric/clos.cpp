#include "topology/fabric/clos.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/diagnostic.hpp"

namespace railyard::topology {
namespace {

// Tolerance for ratios that a file rounds, such as 1.3333 for 4/3.
constexpr double kTolerance = 1e-4;

std::optional<int> whole(double value) {
  const double nearest = std::round(value);
  if (nearest < 1 || nearest > 1e6 || std::abs(value - nearest) > kTolerance * nearest) return {};
  return static_cast<int>(nearest);
}

/// The divisors of n closest to `wanted` below and above it, as text: "16 or 32".
std::string near_divisors(int n, int wanted) {
  int below = 0, above = 0;
  for (int d = 1; d <= n; ++d) {
    if (n % d != 0) continue;
    if (d < wanted) below = d;
    if (d > wanted && above == 0) above = d;
  }
  if (below == 0) return std::to_string(above);
  if (above == 0) return std::to_string(below);
  return fmt::format("{} or {}", below, above);
}

/// A hint: "10 links have oversubscription 3.2, 11 links 2.909".
std::string near_ratios(const UplinkRequest& request, double links) {
  const auto ratio = [&](double n) {
    return request.down.bytes_per_second() / (n * request.link->bytes_per_second());
  };
  const double below = std::floor(links), above = std::ceil(links);
  if (below < 1) return fmt::format("1 link has oversubscription {:.4g}", ratio(1));
  return fmt::format("{:.0f} links have oversubscription {:.6g}, {:.0f} links {:.6g}", below,
                     ratio(below), above, ratio(above));
}

std::string pointer(std::string_view key) { return fmt::format("/fabric/{}", key); }

/// The number of switches above one switch, from the total over all groups in the file.
std::optional<int> switches_of_group(const UplinkRequest& request, const std::string& file) {
  if (!request.switches) return {};
  if (*request.switches % request.groups == 0) return *request.switches / request.groups;
  const int below = *request.switches / request.groups * request.groups;
  throw InputError(
      file, pointer(request.switches_key),
      fmt::format("{} cannot be divided evenly over {} spines", *request.switches, request.groups),
      below == 0 ? fmt::format("use {}", request.groups)
                 : fmt::format("use {} or {}", below, below + request.groups));
}

Uplinks with_given_link(const UplinkRequest& request, std::optional<int> switches, double links,
                        const std::string& file) {
  const std::optional<int> n = whole(links);
  if (!n)
    throw InputError(
        file, pointer(request.oversubscription_key),
        fmt::format("{} requires {:.6g} uplinks of {} per switch, which is not a whole number",
                    request.oversubscription, links, to_text(*request.link)),
        near_ratios(request, links));
  const int above = switches.value_or(*n);
  if (*n % above != 0)
    throw InputError(file, pointer(request.switches_key),
                     fmt::format("the {} uplinks of a switch cannot be divided evenly over {}", *n,
                                 *request.switches),
                     "use " + near_divisors(*n, above) + (request.groups > 1 ? " per spine" : ""));
  return {.switches = above, .parallel = *n / above, .bandwidth = *request.link};
}

}  // namespace

Uplinks plan_uplinks(const UplinkRequest& request, const std::string& file) {
  const std::optional<int> switches = switches_of_group(request, file);
  const double up = request.down.bytes_per_second() / request.oversubscription;
  if (request.link)
    return with_given_link(request, switches, up / request.link->bytes_per_second(), file);

  const auto of_speed = [&](Bandwidth link) -> std::optional<Uplinks> {
    const std::optional<int> n = whole(up / link.bytes_per_second());
    if (!n || (switches && *n % *switches != 0)) return {};
    const int above = switches.value_or(*n);
    return Uplinks{.switches = above, .parallel = *n / above, .bandwidth = link};
  };
  if (const auto uplinks = of_speed(request.usual_link)) return *uplinks;
  const double links = up / request.usual_link.bytes_per_second();
  if (!request.speeds.empty()) {
    for (auto mode = request.speeds.rbegin(); mode != request.speeds.rend(); ++mode)
      if (const auto uplinks = of_speed(mode->speed)) return *uplinks;
    UplinkRequest given = request;
    given.link = request.usual_link;
    return with_given_link(given, switches, links, file);
  }
  const int above = switches.value_or(static_cast<int>(std::ceil(links)));
  return {.switches = above,
          .parallel = 1,
          .bandwidth = Bandwidth::bits_per_second(std::llround(up * 8 / above))};
}

namespace {

/// The switches of one plane.
struct Plane {
  std::vector<DeviceId> leaves, spines, cores;
};

class Wiring {
 public:
  Wiring(ClusterBuilder& builder, const ClosPlan& plan)
      : builder_(builder),
        plan_(plan),
        pods_((plan.leaves + plan.leaves_per_pod - 1) / plan.leaves_per_pod),
        spines_(plan.leaves > 1 ? plan.leaf_up.switches : 0),
        cores_of_spine_(pods_ > 1 ? plan.spine_up.switches : 0) {}

  void run() {
    std::vector<Plane> planes;
    planes.reserve(static_cast<std::size_t>(plan_.planes));
    for (int plane = 0; plane < plan_.planes; ++plane) planes.push_back(add_switches(plane));
    connect_nics(planes);
    for (const Plane& plane : planes) {
      connect_leaves(plane);
      connect_spines(plane);
    }
  }

 private:
  Plane add_switches(int plane) {
    const auto add = [&](DeviceKind kind, int index, int pod) {
      return builder_.add_switch({.kind = kind,
                                  .plane = static_cast<std::uint8_t>(plane),
                                  .index = static_cast<std::uint32_t>(index),
                                  .pod = static_cast<std::uint32_t>(pod)});
    };
    Plane added;
    for (int leaf = 0; leaf < plan_.leaves; ++leaf)
      added.leaves.push_back(
          add(DeviceKind::leaf, leaf % plan_.leaves_per_pod, leaf / plan_.leaves_per_pod));
    for (int pod = 0; pod < pods_; ++pod)
      for (int spine = 0; spine < spines_; ++spine)
        added.spines.push_back(add(DeviceKind::spine, spine, pod));
    for (int core = 0; core < spines_ * cores_of_spine_; ++core)
      added.cores.push_back(add(DeviceKind::core, core, 0));
    return added;
  }

  void connect_nics(const std::vector<Plane>& planes) {
    const FabricSpec& fabric = builder_.fabric();
    for (std::size_t nic = 0; nic < builder_.nics().size(); ++nic) {
      const auto leaf = static_cast<std::size_t>(plan_.leaf_of_nic[nic]);
      // The link runs at most at the rate of the NIC's own port.
      const Bandwidth own = builder_.nic_rate(nic) / plan_.planes;
      for (const Plane& plane : planes)
        builder_.connect({.a = builder_.nics()[nic],
                          .b = plane.leaves[leaf],
                          .kind = LinkKind::port,
                          .bandwidth = std::min(fabric.port_bandwidth.value_or(own), own),
                          .a_to_b = fabric.port_latency,
                          .b_to_a = fabric.switch_latency + fabric.port_latency});
    }
  }

  void connect_leaves(const Plane& plane) {
    for (std::size_t leaf = 0; leaf < plane.leaves.size(); ++leaf) {
      const std::size_t pod = leaf / static_cast<std::size_t>(plan_.leaves_per_pod);
      for (std::size_t spine = 0; spine < static_cast<std::size_t>(spines_); ++spine)
        connect_switches(plane.leaves[leaf],
                         plane.spines[pod * static_cast<std::size_t>(spines_) + spine],
                         plan_.leaf_up);
    }
  }

  void connect_spines(const Plane& plane) {
    const auto group = static_cast<std::size_t>(cores_of_spine_);
    for (std::size_t spine = 0; spine < plane.spines.size(); ++spine) {
      const std::size_t first = spine % static_cast<std::size_t>(spines_) * group;
      for (std::size_t core = first; core < first + group; ++core)
        connect_switches(plane.spines[spine], plane.cores[core], plan_.spine_up);
    }
  }

  void connect_switches(DeviceId below, DeviceId above, const Uplinks& uplinks) {
    const Time latency = builder_.fabric().switch_latency;
    builder_.connect({.a = below,
                      .b = above,
                      .kind = LinkKind::fabric,
                      .bandwidth = uplinks.bandwidth,
                      .a_to_b = latency,
                      .b_to_a = latency,
                      .count = uplinks.parallel});
  }

  ClusterBuilder& builder_;
  const ClosPlan& plan_;
  int pods_;
  int spines_;
  int cores_of_spine_;
};

}  // namespace

void wire_clos(ClusterBuilder& builder, const ClosPlan& plan) { Wiring(builder, plan).run(); }

}  // namespace railyard::topology
