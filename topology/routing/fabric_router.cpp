#include "topology/routing/fabric_router.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace railyard::topology {
namespace {

bool keeps_loads(RoutingPolicy policy) { return !is_stateless(policy); }

}  // namespace

FabricRouter::FabricRouter(const Cluster& cluster, const RoutingOptions& options,
                           const Faults& faults)
    : options_(options), fabric_paths_(cluster, faults) {
  if (keeps_loads(options.policy)) loads_ = LinkLoads(cluster);
  if (options.policy == RoutingPolicy::adaptive) loads_.degrade(faults);
  if (options.policy == RoutingPolicy::spray) spread_.emplace(fabric_paths_);
  if (options.policy == RoutingPolicy::spray || options.qps > 1)
    marks_.resize(cluster.link_count());
}

bool FabricRouter::route(const FabricEnd& from, const FabricEnd& to, std::uint32_t label,
                         std::vector<Hop>& hops) {
  find_legs(from, to);
  if (legs_.empty()) return false;
  // The counter wrapped around: clear all marks, so that none has the current number.
  if (++round_ == 0) {
    std::ranges::fill(marks_, Mark{});
    round_ = 1;
  }
  if (options_.policy == RoutingPolicy::spray) {
    const double share = 1.0 / static_cast<double>(legs_.size());
    for (const Leg& leg : legs_) spray(leg, share, hops);
    return true;
  }
  const double share = 1.0 / options_.qps;
  for (int qp = 0; qp < options_.qps; ++qp) {
    path_.clear();
    choose_path({from.device, to.device, label, static_cast<std::uint32_t>(qp)}, path_);
    for (const LinkId link : path_) {
      if (keeps_loads(options_.policy)) loads_.add(link, share);
      if (options_.qps == 1) {
        hops.push_back({link, 1.0});
      } else {
        merge(link, share, hops);
      }
    }
  }
  return true;
}

bool FabricRouter::paths(const FabricEnd& from, const FabricEnd& to, std::uint32_t label, int count,
                         std::vector<std::vector<LinkId>>& paths) {
  find_legs(from, to);
  if (legs_.empty()) return false;
  for (int qp = 0; qp < count; ++qp) {
    std::vector<LinkId>& path = paths.emplace_back();
    choose_path({from.device, to.device, label, static_cast<std::uint32_t>(qp)}, path);
    if (!keeps_loads(options_.policy)) continue;
    for (const LinkId link : path) loads_.add(link, 1.0 / options_.qps);
  }
  return true;
}

// Finds the pairs of live ports, one at each end, with the shortest distance between their
// switches.
void FabricRouter::find_legs(const FabricEnd& from, const FabricEnd& to) {
  legs_.clear();
  int shortest = std::numeric_limits<int>::max();
  if (!from.fabric_switch.is_none()) {
    add_legs({LinkId::none(), LinkId::none(), from.fabric_switch, 0}, to, shortest);
  }
  for (const NicPort& port : from.ports) {
    if (fabric_paths_.is_live(port.up)) add_legs(port, to, shortest);
  }
  first_cables_.clear();
  for (const Leg& leg : legs_)
    first_cables_.push_back({leg.first.is_none() ? leg.last : leg.first, SwitchId::none()});
}

void FabricRouter::add_legs(const NicPort& from, const FabricEnd& to, int& shortest) {
  if (!to.fabric_switch.is_none()) {
    consider({from.up, LinkId::none(), from.leaf, to.fabric_switch, to.fabric_switch.value()},
             shortest);
  }
  for (const NicPort& port : to.ports) {
    if (!fabric_paths_.is_live(port.down)) continue;
    consider({from.up, port.down, from.leaf, port.leaf, fabric_paths_.index().ordinal(port)},
             shortest);
  }
}

void FabricRouter::consider(const Leg& leg, int& shortest) {
  const int length = fabric_paths_.distance(leg.from, leg.to);
  if (length == FabricPaths::kNoPath || length > shortest) return;
  if (length < shortest) legs_.clear();
  shortest = length;
  legs_.push_back(leg);
}

template <class Choose>
void FabricRouter::walk(std::uint32_t salt, Choose&& choose, std::vector<LinkId>& path) {
  std::size_t chosen = 0;
  if (legs_.size() > 1) {
    chosen = choose(ChoicePoint{SwitchId::none(), 0, true, salt},
                    NextHops{first_cables_, first_cables_});
  }
  const Leg& leg = legs_[chosen];
  if (!leg.first.is_none()) path.push_back(leg.first);
  const FabricIndex& index = fabric_paths_.index();
  for (SwitchId at = leg.from; at != leg.to;) {
    const NextHops hops = fabric_paths_.next(at, leg.to);
    const int tier = index.tier(at);
    const bool is_up = index.tier(hops.viable.front().peer) > tier;
    const std::size_t i = choose(ChoicePoint{at, tier, is_up}, hops);
    path.push_back(hops.viable[i].link);
    at = hops.viable[i].peer;
  }
  if (!leg.last.is_none()) path.push_back(leg.last);
}

void FabricRouter::choose_path(const QueuePair& pair, std::vector<LinkId>& path) {
  const std::uint32_t salt = pair.label * static_cast<std::uint32_t>(options_.qps) + pair.number;
  const auto key = [&] { return flow_key(pair, udp_source_port(pair, options_.seed)); };
  switch (options_.policy) {
    case RoutingPolicy::rail: return walk(salt, RailChoice(legs_.front().ordinal), path);
    case RoutingPolicy::adaptive: {
      const LeastLoaded choice(loads_, 1.0 / options_.qps, HashChoice(key(), options_));
      return walk(salt, choice, path);
    }
    case RoutingPolicy::balanced: return balance(pair, path);
    default: return walk(salt, HashChoice(key(), options_), path);
  }
}

// Links between a NIC and its leaf carry the connection with any source port, so only links between
// switches count. If the NIC has two ports, the hash also chooses the port, and these links count
// too.
void FabricRouter::balance(const QueuePair& pair, std::vector<LinkId>& path) {
  const double share = 1.0 / options_.qps;
  const HashChoice best = best_source_port(pair, options_, [&](const HashChoice& hash) {
    trial_.clear();
    walk(0, hash, trial_);
    const bool is_fixed = legs_.size() == 1;
    const std::size_t begin = is_fixed && !legs_.front().first.is_none() ? 1 : 0;
    const std::size_t end = trial_.size() - (is_fixed && !legs_.front().last.is_none() ? 1 : 0);
    PathLoad load;
    for (std::size_t i = begin; i < end; ++i) load.add(loads_.with(trial_[i], share));
    return load;
  });
  walk(0, best, path);
}

void FabricRouter::spray(const Leg& leg, double share, std::vector<Hop>& hops) {
  if (!leg.first.is_none()) merge(leg.first, share, hops);
  const EvenSpread::Source source{leg.from, share};
  (*spread_)(std::span(&source, 1), leg.to,
             [&](LinkId link, double part) { merge(link, part, hops); });
  if (!leg.last.is_none()) merge(leg.last, share, hops);
}

void FabricRouter::merge(LinkId link, double share, std::vector<Hop>& hops) {
  Mark& mark = marks_[link.index()];
  if (mark.round == round_) {
    hops[mark.hop].share += share;
    return;
  }
  mark = {round_, static_cast<std::uint32_t>(hops.size())};
  hops.push_back({link, share});
}

}  // namespace railyard::topology
