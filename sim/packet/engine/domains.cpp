#include "sim/packet/engine/domains.hpp"

#include <algorithm>

namespace railyard::sim::packet {
namespace {

/// The ends of a link are joined if its latency is less than the median latency divided by this.
constexpr std::int64_t kShort = 8;

}  // namespace

void Domains::join_all() {
  for (std::uint32_t d = 1; d < devices_; ++d) sets_.join(0, d);
}

void Domains::freeze(std::span<const LinkSpec> links, std::span<const std::uint32_t> used) {
  std::vector<std::int64_t> latencies;
  const auto joins_domains = [&](const LinkSpec& link) {
    return sets_.find(link.from) != sets_.find(link.to);
  };
  for (const std::uint32_t i : used)
    if (joins_domains(links[i])) latencies.push_back(links[i].latency.picoseconds());
  if (!latencies.empty()) {
    const auto middle = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 2);
    std::nth_element(latencies.begin(), middle, latencies.end());
    const std::int64_t least = std::max<std::int64_t>(*middle / kShort, 1);
    for (const std::uint32_t i : used)
      if (links[i].latency.picoseconds() < least) sets_.join(links[i].from, links[i].to);
  }
  for (const std::uint32_t i : used)
    if (joins_domains(links[i])) lookahead_ = std::min(lookahead_, links[i].latency.picoseconds());
  domain_.assign(devices_, 0);
  for (std::uint32_t d = 0; d < devices_; ++d) {
    const std::uint32_t root = sets_.find(d);
    domain_[d] = root == d ? static_cast<std::uint32_t>(count_++) : domain_[root];
  }
}

}  // namespace railyard::sim::packet
