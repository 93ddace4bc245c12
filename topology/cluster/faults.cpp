#include "topology/cluster/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "core/diagnostic.hpp"
#include "core/trimmed.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::topology {
namespace {

// Suggestions for an unknown device name: the devices of the node that it names, or else the
// switches.
std::vector<std::string> names_near(const Cluster& cluster, std::string_view wrong) {
  std::vector<std::string> names;
  const auto slash = wrong.find('/');
  for (std::size_t n = 0; slash != std::string_view::npos && n < cluster.node_count(); ++n) {
    const NodeId node(n);
    const std::uint32_t first = cluster.node(node).first_device.value();
    const std::string name = cluster.name(DeviceId(first));
    if (std::string_view(name).substr(0, slash + 1) != wrong.substr(0, slash + 1)) continue;
    const auto count = static_cast<std::uint32_t>(cluster.shape(node).devices().size());
    for (std::uint32_t i = 0; i < count; ++i) names.push_back(cluster.name(DeviceId(first + i)));
    return names;
  }
  for (std::size_t i = 0; i < cluster.device_count(); ++i) {
    const DeviceId id(i);
    if (is_fabric_switch(cluster.device(id).kind)) names.push_back(cluster.name(id));
  }
  return names;
}

DeviceId find_end(const Cluster& cluster, std::string_view name) {
  if (const auto found = cluster.find_device(name)) return *found;
  const std::vector<std::string> names = names_near(cluster, name);
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string hint = core::did_you_mean(name, views);
  if (hint.empty()) {
    hint = fmt::format(
        "nodes are node0 to node{}, with gpu0, nic0, ...{}", cluster.node_count() - 1,
        views.empty() ? "" : fmt::format("; switches have names such as {}", views.front()));
  }
  throw InputError("", "", fmt::format("there is no device '{}'", name), hint);
}

struct Selector {
  std::string_view a, b;  ///< b is empty if the selector means every link of a
  bool both_ways = true;
  std::optional<std::size_t> cable;
};

Selector split(const Cluster& cluster, std::string_view text) {
  Selector selector;
  selector.a = core::trimmed(text);
  if (const auto hash = selector.a.rfind('#'); hash != std::string_view::npos) {
    const std::string_view digits = core::trimmed(selector.a.substr(hash + 1));
    std::size_t k = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), k);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
      throw InputError("", "",
                       fmt::format("'{}': '#{}' is not the number of a cable", text, digits),
                       "write #0 for the first of parallel cables");
    }
    selector.cable = k;
    selector.a = core::trimmed(selector.a.substr(0, hash));
  }
  if (cluster.find_device(selector.a)) return selector;
  for (const std::string_view arrow : {"--", "->"}) {
    const auto at = selector.a.find(arrow);
    if (at == std::string_view::npos) continue;
    selector.b = core::trimmed(selector.a.substr(at + arrow.size()));
    selector.a = core::trimmed(selector.a.substr(0, at));
    selector.both_ways = arrow == "--";
    if (selector.a.empty() || selector.b.empty()) {
      throw InputError("", "", fmt::format("'{}' has an end without a name", text),
                       "write \"A -- B\", \"A -> B\" or \"A\"");
    }
    break;
  }
  return selector;
}

// The links that leave a (only those to b, if b is given), in the order of Cluster::out_links.
std::vector<LinkId> cables(const Cluster& cluster, const Selector& selector) {
  const DeviceId a = find_end(cluster, selector.a);
  const auto out = cluster.out_links(a);
  std::vector<LinkId> found(out.begin(), out.end());
  if (selector.b.empty()) return found;
  const DeviceId b = find_end(cluster, selector.b);
  std::erase_if(found, [&](LinkId link) { return cluster.link(link).to != b; });
  if (!found.empty()) return found;
  std::string neighbours;
  std::size_t named = 0;
  constexpr std::size_t kNamed = 8;
  DeviceId last;
  for (const LinkId link : out) {
    const DeviceId to = cluster.link(link).to;
    if (to == last) continue;
    last = to;
    if (named++ >= kNamed) continue;
    neighbours += (neighbours.empty() ? "" : ", ") + cluster.name(to);
  }
  if (named > kNamed) neighbours += fmt::format(" and {} more", named - kNamed);
  throw InputError("", "", fmt::format("no link connects {} and {}", selector.a, selector.b),
                   fmt::format("{} is connected to {}", selector.a, neighbours));
}

/// A selector with optional times, parsed from "TEXT", "TEXT@2ms" or "TEXT@2ms..5ms".
struct Timed {
  std::string_view selector;
  Time at, until = Time::never();
};

Time time_in(std::string_view whole, std::string_view text) {
  const core::Parsed<Time> time = core::parse_time(core::trimmed(text));
  if (!time.value)
    throw InputError("", "", fmt::format("'{}': {}", whole, time.error),
                     "write a time as @2ms, or from one to another as @2ms..5ms");
  return *time.value;
}

Timed split_time(std::string_view text) {
  const auto at = text.rfind('@');
  if (at == std::string_view::npos) return {core::trimmed(text), Time()};
  constexpr std::string_view kTo = "..";
  const std::string_view times = text.substr(at + 1);
  const auto to = times.find(kTo);
  Timed timed{core::trimmed(text.substr(0, at)), time_in(text, times.substr(0, to))};
  if (to != std::string_view::npos) timed.until = time_in(text, times.substr(to + kTo.size()));
  if (timed.at < Time()) {
    throw InputError("", "", fmt::format("'{}': faults begin at 0 or later", text), "write @2ms");
  }
  if (timed.until <= timed.at) {
    throw InputError("", "", fmt::format("'{}': the fault ends before it begins", text),
                     "write the earlier time first, as @2ms..5ms");
  }
  return timed;
}

}  // namespace

std::vector<LinkId> find_links(const Cluster& cluster, std::string_view text) {
  if (core::trimmed(text).empty()) {
    throw InputError("", "", "no link is given", "write \"A -- B\", \"A -> B\" or \"A\"");
  }
  const Selector selector = split(cluster, text);
  std::vector<LinkId> links = cables(cluster, selector);
  if (selector.cable) {
    if (*selector.cable >= links.size()) {
      throw InputError(
          "", "", fmt::format("'{}': there is no cable #{}", core::trimmed(text), *selector.cable),
          fmt::format("there are {}: #0 to #{}", links.size(), links.size() - 1));
    }
    links = {links[*selector.cable]};
  }
  if (!selector.both_ways) return links;
  const std::size_t count = links.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (const LinkId back = cluster.link(links[i]).reverse; !back.is_none()) links.push_back(back);
  }
  std::ranges::sort(links);
  links.erase(std::unique(links.begin(), links.end()), links.end());
  return links;
}

TimedFault parse_failure(const Cluster& cluster, std::string_view text) {
  const Timed timed = split_time(text);
  return {timed.at, {find_links(cluster, timed.selector), {}}, timed.until};
}

TimedFault parse_degradation(const Cluster& cluster, std::string_view text) {
  const auto [rest, at, until] = split_time(text);
  const auto colon = rest.rfind(':');
  if (colon == std::string_view::npos) {
    throw InputError("", "",
                     fmt::format("'{}' does not contain the remaining part of the bandwidth", text),
                     "write a part in (0, 1] after a colon, as node3/nic1:0.5");
  }
  const std::string_view digits = core::trimmed(rest.substr(colon + 1));
  double factor = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), factor);
  if (error != std::errc{} || end != digits.data() + digits.size() ||
      !(factor > 0 && factor <= 1)) {
    throw InputError(
        "", "", fmt::format("'{}': '{}' is not a part in (0, 1]", text, digits),
        factor == 0 ? "to cut a link off, use --fail" : "0.5 keeps half of the bandwidth");
  }
  TimedFault fault{at, {}, until};
  for (const LinkId link : find_links(cluster, rest.substr(0, colon))) {
    fault.faults.degraded.push_back({link, factor});
  }
  return fault;
}

}  // namespace railyard::topology
