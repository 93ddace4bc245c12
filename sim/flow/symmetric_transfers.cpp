#include "sim/flow/symmetric_transfers.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace railyard::sim {

namespace {
// A symmetric all-to-all has about ten sets. A set has a counter per link for every hop of its
// path.
constexpr std::size_t kMostSets = 16;

/// A hash of the common properties of a set. If two sets have the same hash they are merged, and
/// add_symmetric() then rejects the set because its transfers differ.
std::uint64_t key_of(std::span<const topology::Hop> hops, const topology::Cluster& cluster,
                     double bytes) {
  // The multiplier of splitmix64 (Steele, Lea, Flood: Fast Splittable PRNGs, 2014).
  constexpr std::uint64_t kMultiplier = 0xbf58476d1ce4e5b9u;
  std::uint64_t key = std::bit_cast<std::uint64_t>(bytes) + hops.size();
  for (const topology::Hop& hop : hops) {
    key ^= std::bit_cast<std::uint64_t>(hop.share) +
           static_cast<std::uint64_t>(cluster.link(hop.link).kind);
    key = std::rotl(key * kMultiplier, 29);
  }
  return key;
}
}  // namespace

SymmetricTransfers::Set* SymmetricTransfers::find(std::uint64_t key) {
  if (last_ < sets_.size() && sets_[last_].key == key) return &sets_[last_];
  for (last_ = 0; last_ < sets_.size(); ++last_) {
    if (sets_[last_].key == key) return &sets_[last_];
  }
  return nullptr;
}

bool SymmetricTransfers::add(std::span<const topology::Hop> hops, double bytes, Time alpha) {
  const std::uint64_t key = key_of(hops, cluster_, bytes);
  Set* set = find(key);
  if (set == nullptr) {
    if (sets_.size() == kMostSets || hops.empty()) return false;
    set = &sets_.emplace_back();
    set->key = key;
    set->bytes = bytes;
    set->first = static_cast<std::uint32_t>(size());
    for (const topology::Hop& hop : hops) {
      set->shares.push_back(hop.share);
      set->bandwidths.push_back(cluster_.link(hop.link).bandwidth);
    }
    set->counts.assign(hops.size(), std::vector<std::uint32_t>(cluster_.link_count(), 0));
  }
  if (set->bytes != bytes || set->shares.size() != hops.size()) return false;
  for (std::size_t leg = 0; leg < hops.size(); ++leg) {
    if (set->shares[leg] != hops[leg].share ||
        set->bandwidths[leg] != cluster_.link(hops[leg].link).bandwidth)
      return false;
  }
  for (std::size_t leg = 0; leg < hops.size(); ++leg) {
    ++set->counts[leg][hops[leg].link.index()];
    links_.push_back(hops[leg].link);
  }
  set_of_.push_back(static_cast<std::uint8_t>(set - sets_.data()));
  set->alpha = std::max(set->alpha, alpha);
  ++set->transfers;
  return true;
}

std::vector<SymmetricStreams> SymmetricTransfers::stream_sets(const LinkNumbers& numbers) {
  std::vector<SymmetricStreams> streams_of_sets;
  for (Set& set : sets_) {
    for (std::size_t leg = 0; leg < set.counts.size(); ++leg) {
      for (std::uint32_t link = 0; link < set.counts[leg].size(); ++link) {
        const std::uint32_t streams = set.counts[leg][link];
        if (streams == 0) continue;
        const LinkId number = numbers.number(LinkId(link));
        if (number.is_none()) throw std::logic_error("a path leaves its part of the network");
        set.crossings.push_back({number, streams, set.shares[leg]});
      }
      set.leg_ends.push_back(static_cast<std::uint32_t>(set.crossings.size()));
    }
    set.counts = {};
  }
  for (const Set& set : sets_)
    streams_of_sets.push_back({set.transfers, set.bytes, set.crossings, set.leg_ends});
  return streams_of_sets;
}

}  // namespace railyard::sim
