#include <fmt/format.h>

#include <cmath>

#include "core/diagnostic.hpp"
#include "topology/fabric/clos.hpp"

namespace railyard::topology {
namespace {

// Ratios such as 1.3333 in a file stand for 4/3.
constexpr double kTolerance = 1e-4;

std::optional<int> whole(double value) {
  const double nearest = std::round(value);
  if (nearest < 1 || nearest > 1e6 || std::abs(value - nearest) > kTolerance * nearest) return {};
  return static_cast<int>(nearest);
}

/// The divisors of n that are nearest to `wanted`, as text: "16 or 32".
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

/// "10 links would be 3.2, 11 would be 2.909".
std::string near_ratios(const UplinkRequest& request, double links) {
  const auto ratio = [&](double n) {
    return request.down.bytes_per_second() / (n * request.link->bytes_per_second());
  };
  const double below = std::floor(links), above = std::ceil(links);
  if (below < 1) return fmt::format("1 link would be {:.4g}", ratio(1));
  return fmt::format("{:.0f} links would be {:.6g}, {:.0f} would be {:.6g}", below, ratio(below),
                     above, ratio(above));
}

std::string pointer(std::string_view key) { return fmt::format("/fabric/{}", key); }

/// The switches above one switch, of what the file says for all groups.
std::optional<int> switches_of_group(const UplinkRequest& request, const std::string& file) {
  if (!request.switches) return {};
  if (*request.switches % request.groups == 0) return *request.switches / request.groups;
  const int below = *request.switches / request.groups * request.groups;
  throw InputError(
      file, pointer(request.switches_key),
      fmt::format("{} do not spread evenly over {} spines", *request.switches, request.groups),
      below == 0 ? fmt::format("{} would", request.groups)
                 : fmt::format("{} or {} would", below, below + request.groups));
}

Uplinks with_given_link(const UplinkRequest& request, std::optional<int> switches, double links,
                        const std::string& file) {
  const std::optional<int> n = whole(links);
  if (!n)
    throw InputError(file, pointer(request.oversubscription_key),
                     fmt::format("{} asks for {:.6g} uplinks of {} on each switch",
                                 request.oversubscription, links, to_text(*request.link)),
                     near_ratios(request, links));
  const int above = switches.value_or(*n);
  if (*n % above != 0)
    throw InputError(
        file, pointer(request.switches_key),
        fmt::format("the {} uplinks of a switch do not spread evenly over {}", *n,
                    *request.switches),
        near_divisors(*n, above) + (request.groups > 1 ? " per spine would" : " would"));
  return {.switches = above, .parallel = *n / above, .bandwidth = *request.link};
}

}  // namespace

Uplinks plan_uplinks(const UplinkRequest& request, const std::string& file) {
  const std::optional<int> switches = switches_of_group(request, file);
  const double up = request.down.bytes_per_second() / request.oversubscription;
  if (request.link)
    return with_given_link(request, switches, up / request.link->bytes_per_second(), file);

  const double links = up / request.usual_link.bytes_per_second();
  if (const std::optional<int> n = whole(links); n && (!switches || *n % *switches == 0)) {
    const int above = switches.value_or(*n);
    return {.switches = above, .parallel = *n / above, .bandwidth = request.usual_link};
  }
  const int above = switches.value_or(static_cast<int>(std::ceil(links)));
  return {.switches = above,
          .parallel = 1,
          .bandwidth = Bandwidth::bits_per_second(std::llround(up * 8 / above))};
}

}  // namespace railyard::topology
