#include "sim/packet/engine/shards.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace railyard::sim::packet {
namespace {

constexpr std::uint16_t kOpen = std::numeric_limits<std::uint16_t>::max();

class Distribution {
 public:
  Distribution(std::span<const DomainLink> links, std::size_t domains, std::size_t shards)
      : links_(links), work_(domains, 0), load_(shards, 0), shard_(domains, kOpen) {
    first_.assign(domains + 1, 0);
    for (const DomainLink& link : links) {
      work_[link.from] += link.hops;
      work_[link.to] += link.hops;
      ++first_[link.from + 1];
      ++first_[link.to + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    at_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t i = 0; i < links.size(); ++i) {
      at_[next[links[i].from]++] = i;
      at_[next[links[i].to]++] = i;
    }
  }

  // Cuts the hosts into parts. Every shard gets at least one host; each host counts one hop more
  // than it has, so that hosts without work count too.
  void cut(const std::vector<std::uint32_t>& hosts) {
    std::uint64_t all = 0, before = 0;
    for (const std::uint32_t host : hosts) all += work_[host] + 1;
    std::size_t left = hosts.size(), shard = 0;
    for (const std::uint32_t host : hosts) {
      const std::size_t behind = load_.size() - 1 - shard;
      const std::uint64_t middle = before + (work_[host] + 1) / 2;
      const bool is_full = middle >= all * (shard + 1) / load_.size() || left <= behind;
      if (is_full && behind > 0 && load_[shard] > 0) ++shard;
      put(host, shard);
      load_[shard] += 1;
      before += work_[host] + 1;
      --left;
    }
  }
  // Assigns the domains that are connected to an assigned domain. Returns false if there are none.
  bool add_layer() {
    std::vector<std::uint32_t> layer;
    for (std::uint32_t d = 0; d < shard_.size(); ++d)
      if (shard_[d] == kOpen && touches(d)) layer.push_back(d);
    std::vector<std::uint16_t> chosen;
    for (const std::uint32_t d : layer) {
      chosen.push_back(choose(d));
      load_[chosen.back()] += work_[d];
    }
    for (std::size_t i = 0; i < layer.size(); ++i) shard_[layer[i]] = chosen[i];
    return !layer.empty();
  }
  std::vector<std::uint16_t> take() {
    std::ranges::replace(shard_, kOpen, std::uint16_t{0});  // domains without any packets
    return std::move(shard_);
  }

 private:
  void put(std::uint32_t domain, std::size_t shard) {
    shard_[domain] = static_cast<std::uint16_t>(shard);
    load_[shard] += work_[domain];
  }
  template <class Use>
  void for_neighbours(std::uint32_t domain, const Use& use) const {
    for (std::size_t i = first_[domain]; i < first_[domain + 1]; ++i) {
      const DomainLink& link = links_[at_[i]];
      const std::uint16_t shard = shard_[link.from == domain ? link.to : link.from];
      if (shard != kOpen) use(shard, link.hops);
    }
  }
  [[nodiscard]] bool touches(std::uint32_t domain) const {
    bool does = false;
    for_neighbours(domain, [&](std::uint16_t, std::uint64_t) { does = true; });
    return does;
  }
  [[nodiscard]] std::uint16_t choose(std::uint32_t domain) const {
    std::vector<std::uint64_t> hops(load_.size(), 0);
    std::uint64_t all = 0;
    for_neighbours(domain, [&](std::uint16_t shard, std::uint64_t count) {
      hops[shard] += count;
      all += count;
    });
    const auto most = std::ranges::max_element(hops);
    const auto least = std::ranges::min_element(load_);
    // The threshold is half way between an even share and all hops.
    const bool belongs = 2 * *most * hops.size() >= all * (hops.size() + 1);
    return static_cast<std::uint16_t>(belongs ? most - hops.begin() : least - load_.begin());
  }

  std::span<const DomainLink> links_;
  std::vector<std::uint64_t> work_, load_;
  std::vector<std::uint16_t> shard_;
  std::vector<std::size_t> first_, at_;  ///< links by domain
};

}  // namespace

std::vector<std::uint16_t> assign_shards(std::span<const std::uint8_t> is_host,
                                         std::span<const DomainLink> links, std::size_t shards) {
  Distribution made(links, is_host.size(), shards);
  std::vector<std::uint32_t> hosts;
  for (std::uint32_t d = 0; d < is_host.size(); ++d)
    if (is_host[d] != 0) hosts.push_back(d);
  made.cut(hosts);
  while (made.add_layer()) {
  }
  return made.take();
}

}  // namespace railyard::sim::packet
