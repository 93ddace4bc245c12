#include "sim/flow/transfer_loads.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <unordered_map>

#include "core/parallel.hpp"
#include "sim/flow/sampled_spread.hpp"
#include "sim/run_watch.hpp"
#include "topology/routing/even_spread.hpp"
#include "topology/routing/hop_choice.hpp"
#include "topology/routing/router.hpp"

namespace railyard::sim {
namespace {

using collectives::kNoParticipant;
using collectives::Participant;
using collectives::Transfer;
using topology::RoutingPolicy;

/// The fraction of a sample after which the early loads are recorded (for paths that depend on
/// earlier ones, see SpreadSample).
constexpr double kPartialShare = 0.25;

constexpr std::uint32_t kNoLeaf = ~std::uint32_t{0};

/// The location of a participant.
struct Location {
  std::uint32_t node = 0;       ///< index in the group
  std::uint32_t gpu = 0;        ///< first NIC of its node, among all NICs of the cluster
  std::uint32_t first_nic = 0;  ///< its nearest NIC
  int nic = -1;                 ///< nearest
};

/// Numbers of transfers, by the part of the path that they have in common, and by link between
/// switches.
struct Counters {
  std::vector<std::uint64_t> inside, relayed;  ///< by participant and GPU of its node
  std::vector<std::uint64_t> out, in;          ///< by link, beginning with the first link between
                                               ///< switches
  std::vector<std::uint64_t> fabric;           ///< by leaf of the source, then by leaf of the
                                               ///< destination
  std::vector<std::uint32_t> pairs;            ///< false: some transfer cannot be counted in this
                                               ///< way
  bool is_known = true;                        ///< false: a transfer that this cannot count

  void add(const Counters& other) {
    const auto sum = [](auto& to, const auto& from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    };
    sum(inside, other.inside);
    sum(relayed, other.relayed);
    sum(out, other.out);
    sum(in, other.in);
    sum(fabric, other.fabric);
    sum(pairs, other.pairs);
    is_known = is_known && other.is_known;
  }
};

class LoadCount {
 public:
  LoadCount(const LoadSetting& setting, const collectives::Schedule& schedule, std::uint32_t label)
      : setting_(setting), schedule_(schedule), label_(label) {}

  /// Whether the loads of transfers on this cluster can be counted.
  [[nodiscard]] bool prepare();
  [[nodiscard]] std::optional<TransferLoads> count(const Rounds& rounds, Bytes bytes);

 private:
  [[nodiscard]] Counters empty() const;
  void find_leaves(std::uint32_t nics);
  /// Balanced and adaptive: paths that transfers of several sources share because they pass through
  /// the same relay. The key is the pair of NICs.
  using SharedPaths = std::unordered_map<std::uint64_t, std::vector<LinkId>>;
  void add(const Transfer& transfer, topology::LeafRouter& router, Counters& to,
           SharedPaths* shared) const;
  void cross(std::size_t from_nic, std::size_t to_nic, topology::LeafRouter& router, Counters& to,
             SharedPaths* shared) const;
  [[nodiscard]] Counters count_rounds(const Rounds& rounds,
                                      const std::vector<std::uint64_t>& numbers) const;
  [[nodiscard]] Counters count_in_order(const Rounds& rounds,
                                        const std::vector<std::uint64_t>& numbers);
  void expand(const Counters& counters, double scale, TransferLoads& loads) const;
  void add_leg(const Transfer& transfer, const topology::Connection& connection, double count,
               TransferLoads& loads) const;
  void add_fabric(const Counters& counters, double part, double alike, TransferLoads& loads) const;
  [[nodiscard]] std::vector<double> crossings(const Counters& counters) const;
  [[nodiscard]] std::vector<double> even(const Counters& counters) const;
  [[nodiscard]] bool relays(const Rounds& rounds) const;
  [[nodiscard]] bool are_joined(const Counters& counters) const;
  [[nodiscard]] bool wants_pairs(double part) const {
    return sprays() || (part < 1 && setting_.routing.policy != RoutingPolicy::rail);
  }
  [[nodiscard]] bool sprays() const { return setting_.routing.policy == RoutingPolicy::spray; }
  void watch(double share) const {
    if (setting_.watch && !setting_.watch(share)) throw Stopped();
  }
  [[nodiscard]] DeviceId leaf_of(Participant participant, int nic) const;
  [[nodiscard]] Participant elsewhere(Participant participant) const;

  const LoadSetting& setting_;
  const collectives::Schedule& schedule_;
  std::uint32_t label_;
  std::vector<Location> locations_;
  std::vector<Participant> at_;  ///< by node of the group and GPU of the node
  std::size_t width_ = 0;        ///< the most GPUs or NICs of a node
  std::unique_ptr<topology::LeafRouter> router_;
  std::unique_ptr<topology::Router> legs_;
  std::vector<topology::SwitchId> leaves_;
  std::vector<std::uint32_t> leaf_number_;  ///< by NIC of the cluster: in leaves_
  bool has_pairs_ = false;                  ///< counters by pairs of leaves are filled
  /// Balanced and adaptive: the counters after an early part of the sample.
  struct PartialCount {
    double share = 0;
    Counters counters;
  };
  std::optional<PartialCount> partial_;
};

bool LoadCount::prepare() {
  const topology::Cluster& cluster = setting_.cluster;
  if (!setting_.faults.failed.empty() || !schedule_.reducers().empty()) return false;
  for (const auto& shape : cluster.shapes()) {
    for (int gpu = 0; gpu < shape->gpu_count(); ++gpu)
      if (shape->nics_of_gpu(gpu).size() > 1) return false;
    width_ = std::max({width_, static_cast<std::size_t>(shape->gpu_count()),
                       static_cast<std::size_t>(shape->nic_count())});
  }
  // With spray the router is only used to find leaves, so any other policy will do.
  topology::RoutingOptions routing = setting_.routing;
  if (sprays()) routing.policy = RoutingPolicy::rail;
  router_ = topology::LeafRouter::make(cluster, routing);
  if (!router_) return false;
  legs_ = std::make_unique<topology::Router>(cluster, routing);
  std::vector<std::uint32_t> first_nics;
  std::uint32_t nics = 0;
  for (std::size_t node = 0; node < cluster.node_count(); ++node) {
    first_nics.push_back(nics);
    nics += static_cast<std::uint32_t>(cluster.shape(NodeId(node)).nic_count());
  }
  find_leaves(nics);
  const collectives::Group& group = schedule_.group();
  at_.assign(group.nodes().size() * width_, kNoParticipant);
  for (std::uint32_t i = 0; i < group.size(); ++i) {
    const Rank rank = group.rank(i);
    const auto gpu = static_cast<std::uint32_t>(cluster.local_gpu(rank));
    locations_.push_back({group.node_index(i), gpu, first_nics[cluster.node_of(rank).index()],
                          cluster.rail_of(rank)});
    at_[group.node_index(i) * width_ + gpu] = i;
  }
  return true;
}

void LoadCount::find_leaves(std::uint32_t nics) {
  std::vector<std::uint32_t> numbers(router_->paths().index().size(), kNoLeaf);
  for (std::uint32_t nic = 0; nic < nics; ++nic) {
    const topology::SwitchId leaf = router_->attachment(nic).leaf;
    leaf_number_.push_back(kNoLeaf);
    if (leaf.is_none()) continue;
    std::uint32_t& number = numbers[leaf.index()];
    if (number == kNoLeaf) {
      number = static_cast<std::uint32_t>(leaves_.size());
      leaves_.push_back(leaf);
    }
    leaf_number_.back() = number;
  }
}

Counters LoadCount::empty() const {
  const std::size_t keys = locations_.size() * width_;
  const std::size_t links = setting_.cluster.link_count() - router_->first_link().index();
  const auto zeros = [](std::size_t size) { return std::vector<std::uint64_t>(size, 0); };
  return {.inside = zeros(keys),
          .relayed = zeros(keys),
          .out = zeros(keys),
          .in = zeros(keys),
          .fabric = zeros(links),
          .pairs = std::vector<std::uint32_t>(has_pairs_ ? leaves_.size() * leaves_.size() : 0)};
}

void LoadCount::add(const Transfer& transfer, topology::LeafRouter& router, Counters& to,
                    SharedPaths* shared) const {
  const Location& source = locations_[transfer.source];
  const Location& destination = locations_[transfer.destination];
  if (source.node == destination.node) {
    if (transfer.relay != kNoParticipant) to.is_known = false;
    ++to.inside[transfer.source * width_ + destination.gpu];
    return;
  }
  Participant sender = transfer.source;
  if (transfer.relay != kNoParticipant && transfer.relay != transfer.source) {
    const Location& relay = locations_[transfer.relay];
    if (relay.node != source.node || (transfer.source_nic >= 0 && transfer.source_nic != relay.nic))
      to.is_known = false;
    ++to.relayed[transfer.source * width_ + relay.gpu];
    sender = transfer.relay;
  }
  const int from = transfer.source_nic >= 0 ? transfer.source_nic : locations_[sender].nic;
  const int into = transfer.destination_nic >= 0 ? transfer.destination_nic : destination.nic;
  if (from < 0 || into < 0) {
    to.is_known = false;
    return;
  }
  ++to.out[sender * width_ + static_cast<std::size_t>(from)];
  ++to.in[transfer.destination * width_ + static_cast<std::size_t>(into)];
  cross(source.first_nic + static_cast<std::size_t>(from),
        destination.first_nic + static_cast<std::size_t>(into), router, to, shared);
}

/// Counts the links between switches on the path between two NICs.
void LoadCount::cross(std::size_t from_nic, std::size_t to_nic, topology::LeafRouter& router,
                      Counters& to, SharedPaths* shared) const {
  if (!to.pairs.empty()) {
    const std::uint32_t from = leaf_number_[from_nic], into = leaf_number_[to_nic];
    if (from == kNoLeaf || into == kNoLeaf) {
      to.is_known = false;
      return;
    }
    ++to.pairs[from * leaves_.size() + into];
    if (sprays()) return;
  }
  const std::size_t first = router.first_link().index();
  const auto take = [&](LinkId link) { ++to.fabric[link.index() - first]; };
  if (shared == nullptr) {
    const bool found = router.route(
        from_nic, to_nic, [&](LinkId link, double) { take(link); }, label_);
    to.is_known = to.is_known && found;
    return;
  }
  const auto known = shared->try_emplace(static_cast<std::uint64_t>(from_nic) << 32 | to_nic);
  auto& path = known.first->second;
  if (known.second) {
    const bool found = router.route(
        from_nic, to_nic, [&](LinkId link, double) { path.push_back(link); }, label_);
    to.is_known = to.is_known && found;
  }
  for (const LinkId link : path) take(link);
}

/// Counts rounds on several threads. Rounds are independent and counters are integers, so the
/// result does not depend on the threads.
Counters LoadCount::count_rounds(const Rounds& rounds,
                                 const std::vector<std::uint64_t>& numbers) const {
  const int threads = static_cast<int>(
      std::clamp<std::size_t>(numbers.size() / 16, 1, static_cast<std::size_t>(setting_.threads)));
  std::vector<Counters> counters(static_cast<std::size_t>(threads));
  std::vector<std::unique_ptr<topology::LeafRouter>> routers(counters.size());
  std::atomic<std::uint64_t> done = 0;
  core::parallel_for(numbers.size(), threads, [&](std::size_t i, std::size_t worker) {
    auto& router = routers[worker];
    if (!router) {
      router = topology::LeafRouter::make(setting_.cluster, router_->options());
      counters[worker] = empty();
    }
    watch(static_cast<double>(done++) / static_cast<double>(numbers.size()));
    for (std::uint64_t rank = 0; rank < rounds.ranks && counters[worker].is_known; ++rank)
      add(rounds.at(numbers[i], rank), *router, counters[worker], nullptr);
  });
  Counters all = empty();
  for (std::size_t worker = 0; worker < counters.size(); ++worker)
    if (routers[worker]) all.add(counters[worker]);
  return all;
}

/// Whether some transfers use a relay (PXN). Examines a sample.
bool LoadCount::relays(const Rounds& rounds) const {
  constexpr std::uint64_t kLookedAt = 1 << 16;
  // With an odd stride the sample contains all GPU numbers of a node.
  for (std::uint64_t i = 0; i < rounds.step->size(); i += rounds.step->size() / kLookedAt | 1)
    if (rounds.step->at(i, 0).relay != kNoParticipant) return true;
  return false;
}

/// Counts rounds in the order of the step, because each path depends on the earlier ones.
Counters LoadCount::count_in_order(const Rounds& rounds,
                                   const std::vector<std::uint64_t>& numbers) {
  topology::LeafRouter& router = setting_.router ? *setting_.router : *router_;
  Counters all = empty();
  SharedPaths shared;
  const bool has_relays = relays(rounds);
  rounds.visit(
      numbers,
      [&](double share) {
        watch(share);
        if (!has_pairs_ || partial_ || share < kPartialShare) return;
        partial_ = {share, all};
      },
      [&](const Transfer& transfer) {
        if (all.is_known) add(transfer, router, all, has_relays ? &shared : nullptr);
      });
  return all;
}

/// The switch to which a NIC is connected.
DeviceId LoadCount::leaf_of(Participant participant, int nic) const {
  const topology::Cluster& cluster = setting_.cluster;
  const NodeId node = cluster.node_of(schedule_.group().rank(participant));
  for (const LinkId link : cluster.out_links(cluster.nic(node, nic)))
    if (cluster.link(link).kind == topology::LinkKind::port) return cluster.link(link).to;
  return DeviceId::none();
}

/// Some participant on another node.
Participant LoadCount::elsewhere(Participant participant) const {
  for (Participant other = 0; other < locations_.size(); ++other)
    if (locations_[other].node != locations_[participant].node) return other;
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
  for (Participant p = 0; p < locations_.size(); ++p) {
    const Participant far = elsewhere(p);
    for (std::size_t i = 0; i < width_; ++i) {
      const std::size_t key = p * width_ + i;
      const auto local = static_cast<std::int8_t>(i);
      const auto scaled = [&](std::uint64_t count) { return static_cast<double>(count) * scale; };
      const Participant peer = at_[locations_[p].node * width_ + i];
      if (counters.inside[key] > 0)
        add_leg({.source = p, .destination = peer},
                {.source = device(p), .destination = device(peer)}, scaled(counters.inside[key]),
                loads);
      if (counters.relayed[key] > 0)
        add_leg({.source = p,
                 .destination = far,
                 .relay = peer,
                 .source_nic = static_cast<std::int8_t>(locations_[peer].nic)},
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

/// Crossings of each link between switches.
std::vector<double> LoadCount::crossings(const Counters& counters) const {
  std::vector<double> found;
  found.reserve(counters.fabric.size());
  for (const std::uint64_t count : counters.fabric)
    found.push_back(static_cast<double>(count) * router_->share());
  return found;
}

/// The same if all transfers were spread evenly.
std::vector<double> LoadCount::even(const Counters& counters) const {
  std::vector<double> found(counters.fabric.size(), 0.0);
  topology::EvenSpread spread(router_->paths());
  std::vector<topology::EvenSpread::Source> sources;
  const std::size_t first = router_->first_link().index(), count = leaves_.size();
  for (std::size_t to = 0; to < count; ++to) {
    sources.clear();
    for (std::size_t from = 0; from < count; ++from) {
      const std::uint32_t transfers = counters.pairs[from * count + to];
      if (transfers > 0 && from != to)
        sources.push_back({leaves_[from], static_cast<double>(transfers)});
    }
    spread(sources, leaves_[to],
           [&](LinkId link, double amount) { found[link.index() - first] += amount; });
  }
  return found;
}

/// `part`: the fraction of rounds that were counted.
void LoadCount::add_fabric(const Counters& counters, double part, double alike,
                           TransferLoads& loads) const {
  std::vector<double> fabric;
  if (!has_pairs_) {
    fabric = crossings(counters);
    for (double& crossing : fabric) crossing /= part;
  } else if (sprays()) {
    fabric = even(counters);
    for (double& crossing : fabric) crossing /= part;
  } else {
    std::optional<SpreadSample> early;
    if (partial_)
      early = {part * partial_->share, crossings(partial_->counters), even(partial_->counters)};
    fabric = scaled_up(setting_.cluster, router_->first_link(),
                       {part, crossings(counters), even(counters)}, early);
  }
  const std::size_t first = router_->first_link().index();
  for (std::size_t i = 0; i < fabric.size(); ++i) loads.crossings[first + i] += fabric[i] * alike;
}

/// Whether there is a path between all pairs of leaves that send to each other.
bool LoadCount::are_joined(const Counters& counters) const {
  for (std::size_t from = 0; from < leaves_.size(); ++from)
    for (std::size_t to = 0; to < leaves_.size(); ++to)
      if (counters.pairs[from * leaves_.size() + to] > 0 &&
          router_->paths().distance(leaves_[from], leaves_[to]) == topology::FabricPaths::kNoPath)
        return false;
  return true;
}

std::optional<TransferLoads> LoadCount::count(const Rounds& rounds, Bytes bytes) {
  const std::vector<std::uint64_t> numbers = sampled_rounds(rounds, setting_.most);
  const double part = static_cast<double>(numbers.size()) / static_cast<double>(rounds.count);
  has_pairs_ = wants_pairs(part);
  const Counters counters = topology::is_stateless(setting_.routing.policy)
                                ? count_rounds(rounds, numbers)
                                : count_in_order(rounds, numbers);
  if (!counters.is_known || (has_pairs_ && !are_joined(counters))) return std::nullopt;
  TransferLoads loads{.bytes = bytes,
                      .transfers = rounds.step->size(),
                      .counted = numbers.size() * rounds.ranks * rounds.alike,
                      .crossings = std::vector<double>(setting_.cluster.link_count(), 0.0),
                      .legs = {}};
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
  // With an odd stride the sample contains all GPU numbers of a node.
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

namespace {

/// The link loads of a sample of routed transfers.
class RoutedSample {
 public:
  /// `part`: the sampled fraction of all transfers.
  RoutedSample(const topology::Cluster& cluster, double part) : cluster_(cluster), part_(part) {}

  /// Records the early crossings, once the finished fraction `share` of the sample is large enough.
  void look(double share, const std::vector<double>& crossings) {
    if (part_ < 1 && !partial_ && share >= kPartialShare)
      partial_ = sample(part_ * share, crossings);
  }
  /// Scales the crossings of the sample to those of all transfers.
  void scale_up(std::vector<double>& crossings) const {
    const std::vector<double> all =
        scaled_up(cluster_, LinkId(0), sample(part_, crossings), partial_);
    for (std::size_t i = 0; i < crossings.size(); ++i) {
      const bool is_fabric = cluster_.link(LinkId(i)).kind == topology::LinkKind::fabric;
      crossings[i] = is_fabric ? all[i] : crossings[i] / part_;
    }
  }

 private:
  [[nodiscard]] SpreadSample sample(double part, const std::vector<double>& crossings) const {
    return {part, crossings, means_of_kinds(cluster_, LinkId(0), crossings)};
  }

  const topology::Cluster& cluster_;
  double part_;
  std::optional<SpreadSample> partial_;
};

}  // namespace

std::optional<TransferLoads> routed_loads(const LoadSetting& setting, TransferRoutes& routes,
                                          const collectives::Schedule& schedule,
                                          std::size_t channel, const collectives::Step& step,
                                          std::uint32_t label, const VisitRouted& visit) {
  const auto equal = equal_transfers(schedule, channel, step);
  if (!equal) return std::nullopt;
  const Rounds& rounds = equal->rounds;
  const std::vector<std::uint64_t> numbers = sampled_rounds(rounds, setting.most);
  const auto alike = static_cast<double>(rounds.alike);
  const double part = static_cast<double>(numbers.size()) / static_cast<double>(rounds.count);
  TransferLoads loads{.bytes = equal->bytes,
                      .transfers = step.size(),
                      .counted = numbers.size() * rounds.ranks * rounds.alike,
                      .crossings = std::vector<double>(setting.cluster.link_count(), 0.0),
                      .legs = {}};
  RoutedSample sample(setting.cluster, part);
  std::vector<topology::Hop> hops;
  rounds.visit(
      numbers,
      [&](double share) {
        if (setting.watch && !setting.watch(share)) throw Stopped();
        if (!routes.is_stateless()) sample.look(share, loads.crossings);
      },
      [&](const Transfer& transfer) {
        hops.clear();
        routes.append(schedule, transfer, label, hops);
        for (const topology::Hop& hop : hops) loads.crossings[hop.link.index()] += hop.share;
        if (visit) visit(transfer, hops, alike / part);
      });
  const RoutingPolicy policy = routes.routing().policy;
  const bool is_spread = policy == RoutingPolicy::spray || policy == RoutingPolicy::rail;
  if (part < 1 && !is_spread) sample.scale_up(loads.crossings);
  const double rest = part < 1 && !is_spread ? alike : alike / part;
  for (double& crossing : loads.crossings) crossing *= rest;
  return loads;
}

}  // namespace railyard::sim
