#include "sim/flow/transfer_loads.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>

#include "core/parallel.hpp"
#include "sim/flow/flow_options.hpp"
#include "topology/routing/leaf_router.hpp"
#include "topology/routing/router.hpp"

namespace railyard::sim {
namespace {

using collectives::kNoParticipant;
using collectives::Participant;
using collectives::Transfer;
using topology::DeviceKind;

/// Where a participant sits.
struct Seat {
  std::uint32_t node = 0;       ///< index in the group
  std::uint32_t gpu = 0;        ///< number in the node
  std::uint32_t first_nic = 0;  ///< of its node, among all NICs of the cluster
  int nic = -1;                 ///< nearest
};

/// Transfers by what they have in common, and by link between switches.
struct Counters {
  std::vector<std::uint64_t> inside, relayed;  ///< by participant and GPU of its node
  std::vector<std::uint64_t> out, in;          ///< by participant and NIC of its node
  std::vector<std::uint64_t> fabric;           ///< by link, from the first between switches on
  bool is_known = true;                        ///< false: a transfer that this cannot count

  void add(const Counters& other) {
    const auto sum = [](std::vector<std::uint64_t>& to, const std::vector<std::uint64_t>& from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    sum(inside, other.inside);
    sum(relayed, other.relayed);
    sum(out, other.out);
    sum(in, other.in);
    sum(fabric, other.fabric);
    is_known = is_known && other.is_known;
  }
};

class LoadCount {
 public:
  LoadCount(const LoadSetting& setting, const collectives::Schedule& schedule, std::uint32_t label)
      : setting_(setting), schedule_(schedule), label_(label) {}

  /// Whether the cluster is one that transfers can be counted on.
  [[nodiscard]] bool prepare();
  [[nodiscard]] std::optional<TransferLoads> count(const Rounds& rounds, Bytes bytes);

 private:
  [[nodiscard]] Counters empty() const;
  void add(const Transfer& transfer, topology::LeafRouter& router, Counters& to) const;
  [[nodiscard]] Counters count_rounds(const Rounds& rounds,
                                      const std::vector<std::uint64_t>& numbers) const;
  void expand(const Counters& counters, double scale, TransferLoads& loads) const;
  void add_leg(const Transfer& transfer, const topology::Connection& connection, double count,
               TransferLoads& loads) const;
  void add_fabric(const Counters& counters, double part, double alike, TransferLoads& loads) const;
  [[nodiscard]] DeviceId leaf_of(Participant participant, int nic) const;
  [[nodiscard]] Participant elsewhere(Participant participant) const;

  const LoadSetting& setting_;
  const collectives::Schedule& schedule_;
  std::uint32_t label_;
  std::vector<Seat> seats_;
  std::vector<Participant> at_;  ///< by node of the group and GPU of the node
  std::size_t width_ = 0;        ///< the most GPUs or NICs of a node
  std::unique_ptr<topology::LeafRouter> router_;
  std::unique_ptr<topology::Router> legs_;
};

bool LoadCount::prepare() {
  const topology::Cluster& cluster = setting_.cluster;
  const auto policy = setting_.routing.policy;
  if (policy != topology::RoutingPolicy::rail && policy != topology::RoutingPolicy::ecmp)
    return false;
  if (!setting_.faults.failed.empty() || !schedule_.reducers().empty()) return false;
  for (const auto& shape : cluster.shapes()) {
    for (int gpu = 0; gpu < shape->gpu_count(); ++gpu)
      if (shape->nics_of_gpu(gpu).size() > 1) return false;
    width_ = std::max({width_, static_cast<std::size_t>(shape->gpu_count()),
                       static_cast<std::size_t>(shape->nic_count())});
  }
  router_ = topology::LeafRouter::make(cluster, setting_.routing);
  if (!router_) return false;
  legs_ = std::make_unique<topology::Router>(cluster, setting_.routing);
  std::vector<std::uint32_t> first_nics;
  std::uint32_t nics = 0;
  for (std::size_t node = 0; node < cluster.node_count(); ++node) {
    first_nics.push_back(nics);
    nics += static_cast<std::uint32_t>(cluster.shape(NodeId(node)).nic_count());
  }
  const collectives::Group& group = schedule_.group();
  at_.assign(group.nodes().size() * width_, kNoParticipant);
  for (std::uint32_t i = 0; i < group.size(); ++i) {
    const Rank rank = group.rank(i);
    const auto gpu = static_cast<std::uint32_t>(cluster.local_gpu(rank));
    seats_.push_back({group.node_index(i), gpu, first_nics[cluster.node_of(rank).index()],
                      cluster.rail_of(rank)});
    at_[group.node_index(i) * width_ + gpu] = i;
  }
  return true;
}

Counters LoadCount::empty() const {
  const std::size_t keys = seats_.size() * width_;
  const std::size_t links = setting_.cluster.link_count() - router_->first_link().index();
  const auto zeros = [](std::size_t size) { return std::vector<std::uint64_t>(size, 0); };
  return {.inside = zeros(keys),
          .relayed = zeros(keys),
          .out = zeros(keys),
          .in = zeros(keys),
          .fabric = zeros(links)};
}

void LoadCount::add(const Transfer& transfer, topology::LeafRouter& router, Counters& to) const {
  const Seat& source = seats_[transfer.source];
  const Seat& destination = seats_[transfer.destination];
  if (source.node == destination.node) {
    if (transfer.relay != kNoParticipant) to.is_known = false;
    ++to.inside[transfer.source * width_ + destination.gpu];
    return;
  }
  Participant sender = transfer.source;
  if (transfer.relay != kNoParticipant && transfer.relay != transfer.source) {
    const Seat& relay = seats_[transfer.relay];
    if (relay.node != source.node || (transfer.source_nic >= 0 && transfer.source_nic != relay.nic))
      to.is_known = false;
    ++to.relayed[transfer.source * width_ + relay.gpu];
    sender = transfer.relay;
  }
  const int from = transfer.source_nic >= 0 ? transfer.source_nic : seats_[sender].nic;
  const int into = transfer.destination_nic >= 0 ? transfer.destination_nic : destination.nic;
  if (from < 0 || into < 0) {
    to.is_known = false;
    return;
  }
  ++to.out[sender * width_ + static_cast<std::size_t>(from)];
  ++to.in[transfer.destination * width_ + static_cast<std::size_t>(into)];
  const std::size_t first = router.first_link().index();
  const bool found = router.route(
      source.first_nic + static_cast<std::size_t>(from),
      destination.first_nic + static_cast<std::size_t>(into),
      [&](LinkId link, double) { ++to.fabric[link.index() - first]; }, label_);
  to.is_known = to.is_known && found;
}

/// Rounds are independent and counters are integers, so that no order of threads can be seen.
Counters LoadCount::count_rounds(const Rounds& rounds,
                                 const std::vector<std::uint64_t>& numbers) const {
  const int threads = static_cast<int>(
      std::clamp<std::size_t>(numbers.size() / 16, 1, static_cast<std::size_t>(setting_.threads)));
  std::vector<Counters> counters(static_cast<std::size_t>(threads));
  std::vector<std::unique_ptr<topology::LeafRouter>> routers(counters.size());
  core::parallel_for(numbers.size(), threads, [&](std::size_t i, std::size_t worker) {
    auto& router = routers[worker];
    if (!router) {
      router = topology::LeafRouter::make(setting_.cluster, setting_.routing);
      counters[worker] = empty();
    }
    if (setting_.keep_going && !setting_.keep_going()) throw Stopped();
    for (std::uint64_t rank = 0; rank < rounds.ranks && counters[worker].is_known; ++rank)
      add(rounds.at(numbers[i], rank), *router, counters[worker]);
  });
  Counters all = empty();
  for (std::size_t worker = 0; worker < counters.size(); ++worker)
    if (routers[worker]) all.add(counters[worker]);
  return all;
}

/// The switch that a NIC is plugged into.
DeviceId LoadCount::leaf_of(Participant participant, int nic) const {
  const topology::Cluster& cluster = setting_.cluster;
  const NodeId node = cluster.node_of(schedule_.group().rank(participant));
  for (const LinkId link : cluster.out_links(cluster.nic(node, nic)))
    if (cluster.link(link).kind == topology::LinkKind::port) return cluster.link(link).to;
  return DeviceId::none();
}

/// A participant on another node.
Participant LoadCount::elsewhere(Participant participant) const {
  for (Participant other = 0; other < seats_.size(); ++other)
    if (seats_[other].node != seats_[participant].node) return other;
  return kNoParticipant;
}

void LoadCount::add_leg(const Transfer& transfer, const topology::Connection& connection,
                        double count, TransferLoads& loads) const {
  auto& leg = loads.legs.emplace_back();
  leg.transfer = transfer;
  leg.count = count;
  legs_->route(connection, leg.hops);
  for (const topology::Hop& hop : leg.hops) loads.crossings[hop.link.index()] += hop.share * count;
}

void LoadCount::expand(const Counters& counters, double scale, TransferLoads& loads) const {
  const auto device = [&](Participant p) { return schedule_.device(setting_.cluster, p); };
  for (Participant p = 0; p < seats_.size(); ++p) {
    const Participant far = elsewhere(p);
    for (std::size_t i = 0; i < width_; ++i) {
      const std::size_t key = p * width_ + i;
      const auto local = static_cast<std::int8_t>(i);
      const auto scaled = [&](std::uint64_t count) { return static_cast<double>(count) * scale; };
      const Participant peer = at_[seats_[p].node * width_ + i];
      if (counters.inside[key] > 0)
        add_leg({.source = p, .destination = peer},
                {.source = device(p), .destination = device(peer)}, scaled(counters.inside[key]),
                loads);
      if (counters.relayed[key] > 0)
        add_leg({.source = p,
                 .destination = far,
                 .relay = peer,
                 .source_nic = static_cast<std::int8_t>(seats_[peer].nic)},
                {.source = device(p), .destination = device(peer)}, scaled(counters.relayed[key]),
                loads);
      if (counters.out[key] > 0)
        add_leg({.source = p, .destination = far, .source_nic = local},
                {.source = device(p),
                 .destination = leaf_of(p, local),
                 .label = label_,
                 .source_nic = local},
                scaled(counters.out[key]), loads);
      if (counters.in[key] > 0)
        add_leg({.source = far, .destination = p, .destination_nic = local},
                {.source = leaf_of(p, local),
                 .destination = device(p),
                 .label = label_,
                 .destination_nic = local},
                scaled(counters.in[key]), loads);
    }
  }
}

/// Crossings of links between switches, scaled up from a part of the rounds: what exceeds the mean
/// of links of a kind by 1 / sqrt(part), since it is due to hashes.
void spread_as_all(const topology::Cluster& cluster, double part, std::vector<double>& crossings) {
  const auto kind = [&](std::size_t i) {
    const topology::Link& link = cluster.link(LinkId(i));
    return std::tuple(cluster.device(link.from).kind, cluster.device(link.to).kind,
                      link.bandwidth.bits_per_second());
  };
  std::map<decltype(kind(0)), std::pair<double, double>> sums;
  const auto each = [&](auto&& take) {
    for (std::size_t i = 0; i < crossings.size(); ++i)
      if (cluster.link(LinkId(i)).kind == topology::LinkKind::fabric) take(i, sums[kind(i)]);
  };
  each([&](std::size_t i, auto& sum) {
    sum.first += crossings[i];
    ++sum.second;
  });
  each([&](std::size_t i, const auto& sum) {
    const double mean = sum.first / sum.second;
    crossings[i] = std::max(0.0, mean + (crossings[i] - mean) * std::sqrt(part));
  });
}

/// `part`: of the rounds, counted.
void LoadCount::add_fabric(const Counters& counters, double part, double alike,
                           TransferLoads& loads) const {
  const std::size_t first = router_->first_link().index();
  for (std::size_t i = 0; i < counters.fabric.size(); ++i)
    loads.crossings[first + i] +=
        static_cast<double>(counters.fabric[i]) / part * alike * router_->share();
  if (part < 1 && setting_.routing.policy == topology::RoutingPolicy::ecmp)
    spread_as_all(setting_.cluster, part, loads.crossings);
}

std::optional<TransferLoads> LoadCount::count(const Rounds& rounds, Bytes bytes) {
  const std::vector<std::uint64_t> numbers = sampled_rounds(rounds, setting_.most);
  const Counters counters = count_rounds(rounds, numbers);
  if (!counters.is_known) return std::nullopt;
  TransferLoads loads{.bytes = bytes,
                      .transfers = rounds.step->size(),
                      .counted = numbers.size() * rounds.ranks * rounds.alike,
                      .crossings = std::vector<double>(setting_.cluster.link_count(), 0.0),
                      .legs = {}};
  const double part = static_cast<double>(numbers.size()) / static_cast<double>(rounds.count);
  const auto alike = static_cast<double>(rounds.alike);
  expand(counters, alike / part, loads);
  add_fabric(counters, part, alike, loads);
  return loads;
}

/// The rounds and bytes of a step whose transfers can be counted.
struct EqualTransfers {
  Rounds rounds;
  Bytes bytes;
};
std::optional<EqualTransfers> equal_transfers(const collectives::Schedule& schedule,
                                              std::size_t channel, const collectives::Step& step) {
  const auto rounds = rounds_of(step);
  if (!rounds || rounds->count == 0 || schedule.channels()[channel].chunks_per_block != 1)
    return std::nullopt;
  const Bytes bytes = schedule.bytes(channel, step.at(0, 0));
  if (bytes == Bytes(0)) return std::nullopt;
  return EqualTransfers{*rounds, bytes};
}

}  // namespace

std::optional<Rounds> rounds_of(const collectives::Step& step) {
  if (const auto* pairs = std::get_if<collectives::PairPattern>(&step.pattern))
    return Rounds{.step = &step, .ranks = pairs->order.size(), .count = pairs->rounds};
  if (const auto* grid = std::get_if<collectives::GridPattern>(&step.pattern)) {
    const bool inside = grid->phase == collectives::GridPattern::Phase::exchange_inside;
    return Rounds{.step = &step,
                  .ranks = grid->order.size(),
                  .count = (inside ? grid->per_node : grid->nodes) - 1,
                  .alike = inside ? grid->nodes : grid->per_node,
                  .by_rank = true};
  }
  return std::nullopt;
}

std::vector<std::uint64_t> sampled_rounds(const Rounds& rounds, std::uint64_t most) {
  const std::uint64_t wanted =
      std::clamp<std::uint64_t>(most / std::max<std::uint64_t>(rounds.ranks, 1), 1, rounds.count);
  // An odd stride meets all residues of the local numbers of GPUs.
  const std::uint64_t stride = wanted == rounds.count ? 1 : (rounds.count / wanted) | 1;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t round = stride / 2; round < rounds.count; round += stride)
    numbers.push_back(round);
  return numbers;
}

std::optional<TransferLoads> transfer_loads(const LoadSetting& setting,
                                            const collectives::Schedule& schedule,
                                            std::size_t channel, const collectives::Step& step,
                                            std::uint32_t label) {
  const auto equal = equal_transfers(schedule, channel, step);
  LoadCount count(setting, schedule, label);
  if (!equal || !count.prepare()) return std::nullopt;
  return count.count(equal->rounds, equal->bytes);
}

std::optional<TransferLoads> routed_loads(const LoadSetting& setting, TransferRoutes& routes,
                                          const collectives::Schedule& schedule,
                                          std::size_t channel, const collectives::Step& step,
                                          std::uint32_t label, const VisitRouted& visit) {
  const auto equal = equal_transfers(schedule, channel, step);
  if (!equal || !routes.is_stateless()) return std::nullopt;
  const Rounds& rounds = equal->rounds;
  const std::vector<std::uint64_t> numbers = sampled_rounds(rounds, setting.most);
  const auto alike = static_cast<double>(rounds.alike);
  const double part = static_cast<double>(numbers.size()) / static_cast<double>(rounds.count);
  TransferLoads loads{.bytes = equal->bytes,
                      .transfers = step.size(),
                      .counted = numbers.size() * rounds.ranks * rounds.alike,
                      .crossings = std::vector<double>(setting.cluster.link_count(), 0.0),
                      .legs = {}};
  std::vector<topology::Hop> hops;
  for (const std::uint64_t round : numbers) {
    if (setting.keep_going && !setting.keep_going()) throw Stopped();
    for (std::uint64_t rank = 0; rank < rounds.ranks; ++rank) {
      const Transfer transfer = rounds.at(round, rank);
      hops.clear();
      routes.append(schedule, transfer, label, hops);
      for (const topology::Hop& hop : hops)
        loads.crossings[hop.link.index()] += hop.share * alike / part;
      if (visit) visit(transfer, hops, alike / part);
    }
  }
  if (part < 1 && routes.routing().policy == topology::RoutingPolicy::ecmp)
    spread_as_all(setting.cluster, part, loads.crossings);
  return loads;
}

}  // namespace railyard::sim
