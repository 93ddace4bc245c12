#include "sim/packet/run/ring_nodes.hpp"

#include <algorithm>
#include <bit>
#include <variant>

#include "sim/link_capacity.hpp"
#include "sim/packet/run/pair_paths.hpp"
#include "topology/routing/flow_hash.hpp"

namespace railyard::sim::packet {
namespace {

using collectives::RingPattern;
using collectives::Schedule;
using topology::mix;

/// If more transfers share a link, no sample is used.
constexpr std::size_t kMostUsers = 1024;

const RingPattern* one_ring(const collectives::Channel& channel) {
  if (channel.loops.empty() || channel.loops.front().steps.empty()) return nullptr;
  const auto* ring = std::get_if<RingPattern>(&channel.loops.front().steps.front().pattern);
  return ring != nullptr && ring->ring_size == 0 ? ring : nullptr;
}

/// The number of places per node if all channels visit the same nodes in the same order; otherwise
/// 0.
std::uint32_t places_per_node(const Schedule& rings) {
  const collectives::Group& group = rings.group();
  const auto nodes = static_cast<std::uint32_t>(group.nodes().size());
  const RingPattern* first = one_ring(rings.channels().front());
  if (first == nullptr || !rings.reducers().empty() || group.size() % nodes != 0) return 0;
  const std::uint32_t per_node = group.size() / nodes, places = first->order.size();
  if (places % per_node != 0) return 0;
  for (const collectives::Channel& channel : rings.channels()) {
    const RingPattern* ring = one_ring(channel);
    if (ring == nullptr || ring->order.size() != places) return 0;
    for (std::uint32_t place = 0; place < places; ++place)
      if (group.node_index(ring->order[place]) !=
          group.node_index(first->order[place - place % per_node]))
        return 0;
  }
  return per_node;
}

/// Whether the pieces of a channel differ by at most a thousandth of their bytes.
bool has_equal_pieces(const Schedule& rings, std::size_t channel) {
  const collectives::Step& step = rings.channels()[channel].loops.front().steps.front();
  Bytes least = rings.bytes(channel, step.at(0, 0)), most = least;
  for (std::uint64_t i = 1; i < step.size(); ++i) {
    const Bytes bytes = rings.bytes(channel, step.at(i, 0));
    least = std::min(least, bytes);
    most = std::max(most, bytes);
  }
  return 1000 * (most.count() - least.count()) <= least.count() && least > Bytes();
}

bool treats_nodes_alike(const PacketOptions& options) {
  const auto policy = options.routing.policy;
  return (policy == topology::RoutingPolicy::rail || policy == topology::RoutingPolicy::ecmp) &&
         options.parameters.clock_tolerance == 0 && !limits_ingress(options.parameters.nic);
}

std::uint64_t hash_of(std::uint64_t value, std::uint64_t next) { return mix(value ^ mix(next)); }

/// By link: a hash of its properties (rate, latency, kind, degradation).
std::vector<std::uint64_t> link_hashes(const topology::Cluster& cluster,
                                       const topology::Faults& faults) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(cluster.links().size());
  for (const topology::Link& link : cluster.links())
    hashes.push_back(hash_of(hash_of(static_cast<std::uint64_t>(link.bandwidth.bits_per_second()),
                                     static_cast<std::uint64_t>(link.latency.picoseconds())),
                             static_cast<std::uint64_t>(link.kind)));
  for (const auto& [link, factor] : faults.degraded)
    hashes[link.index()] = hash_of(hashes[link.index()], std::bit_cast<std::uint64_t>(factor));
  return hashes;
}

/// A transfer that uses a link for its data or for its acknowledgements (`is_back`).
struct LinkUser {
  std::uint32_t node, place;  ///< place: channel * places per node + place within the node
  bool is_back;
};

std::uint32_t distance(std::uint32_t from, std::uint32_t to, std::uint32_t nodes) {
  const std::uint32_t ahead = (to + nodes - from) % nodes;
  return std::min(ahead, nodes - ahead);
}

}  // namespace

class RingNodes::Builder {
 public:
  Builder(const topology::Cluster& cluster, const PacketOptions& options, const Schedule& rings,
          RingNodes& result)
      : cluster_(cluster),
        rings_(rings),
        result_(result),
        nodes_(one_ring(rings.channels().front())->order.size() / result.per_node_),
        router_(packet_router(cluster, options, options.faults)),
        paths_(cluster, options),
        hashes_(link_hashes(cluster, options.faults)),
        users_(cluster.links().size()) {}

  /// Returns false if some link has too many users.
  [[nodiscard]] bool build() {
    for (std::uint32_t node = 0; node < nodes_; ++node) {
      result_.first_link_.push_back(result_.links_.size());
      for (std::size_t c = 0; c < rings_.channels().size(); ++c)
        for (std::uint32_t within = 0; within < result_.per_node_; ++within)
          add_transfer(node, c, within);
    }
    result_.first_link_.push_back(result_.links_.size());
    if (std::ranges::any_of(users_, [](const auto& some) { return some.size() > kMostUsers; }))
      return false;
    for (std::uint32_t node = 0; node < nodes_; ++node) add_form(node);
    return true;
  }

 private:
  void add_transfer(std::uint32_t node, std::size_t channel, std::uint32_t within) {
    const std::uint32_t per_node = result_.per_node_;
    const std::uint32_t place = static_cast<std::uint32_t>(channel) * per_node + within;
    const collectives::Transfer transfer =
        rings_.channels()[channel].loops.front().steps.front().at(
            std::uint64_t{node} * per_node + within, 0);
    const PathEnds ends = ends_of(cluster_, rings_, transfer, connection_label(0, channel));
    for (const std::vector<LinkId>& path : paths_.find(router_, ends, 1)) {
      const auto in_network = std::ranges::count_if(path, [&](LinkId link) {
        const topology::LinkKind kind = cluster_.link(link).kind;
        return kind == topology::LinkKind::port || kind == topology::LinkKind::fabric;
      });
      result_.hops_ += static_cast<std::uint64_t>(std::max<std::ptrdiff_t>(in_network, 1));
      for (const LinkId link : path) {
        result_.links_.push_back(link);
        users_[link.index()].push_back({node, place, false});
        if (const LinkId back = cluster_.link(link).reverse; !back.is_none())
          users_[back.index()].push_back({node, place, true});
      }
    }
  }

  void add_form(std::uint32_t node) {
    std::uint64_t form = 0, number = 0;
    result_.far_users_.emplace_back();
    for (const LinkId link : result_.links(node)) {
      form = hash_of(hash_of(form, hashes_[link.index()]), hash_users(link, node, ++number));
      const LinkId back = cluster_.link(link).reverse;
      if (!back.is_none()) form = hash_of(form, hash_users(back, node, ++number));
    }
    result_.local_.push_back(form);
  }

  /// A hash of the users of a link that are near a node, independent of their order. Also notes the
  /// users that are far away.
  std::uint64_t hash_users(LinkId link, std::uint32_t node, std::uint64_t number) {
    std::uint64_t sum = 0;
    for (const LinkUser& user : users_[link.index()]) {
      const std::uint64_t what = std::uint64_t{user.place} * 2 + (user.is_back ? 1 : 0);
      if (distance(node, user.node, nodes_) > kNear)
        result_.far_users_[node].push_back({hash_of(number, what), user.node});
      else
        sum += hash_of(what, (user.node + nodes_ + kNear - node) % nodes_);
    }
    return sum;
  }

  const topology::Cluster& cluster_;
  const Schedule& rings_;
  RingNodes& result_;
  std::uint32_t nodes_;
  topology::Router router_;
  PairPaths paths_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::vector<LinkUser>> users_;  ///< by link
};

std::optional<RingNodes> RingNodes::of(const topology::Cluster& cluster,
                                       const PacketOptions& options, const Schedule& rings) {
  RingNodes result;
  if (!treats_nodes_alike(options)) return std::nullopt;
  result.per_node_ = places_per_node(rings);
  if (result.per_node_ == 0) return std::nullopt;
  for (std::size_t c = 0; c < rings.channels().size(); ++c)
    if (!has_equal_pieces(rings, c)) return std::nullopt;
  if (!Builder(cluster, options, rings, result).build()) return std::nullopt;
  return result;
}

std::vector<std::uint64_t> RingNodes::forms(std::uint32_t reach) const {
  const std::uint32_t nodes = size();
  std::vector<std::uint64_t> around, forms;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    std::uint64_t hash = 0;
    for (std::uint32_t i = 0; i <= reach + kNear; ++i)
      hash = hash_of(hash, local_[(node + i + nodes - reach % nodes) % nodes]);
    around.push_back(hash);
  }
  for (std::uint32_t node = 0; node < nodes; ++node) {
    std::uint64_t sum = 0;
    for (const FarUser& user : far_users_[node]) sum += hash_of(user.link, around[user.node]);
    forms.push_back(hash_of(local_[node], sum));
  }
  return forms;
}

}  // namespace railyard::sim::packet
