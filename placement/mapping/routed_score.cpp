#include "placement/mapping/routed_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/diagnostic.hpp"
#include "placement/mapping/traffic_walk.hpp"
#include "topology/cluster/payload.hpp"

namespace railyard::placement {
namespace {

/// A sink of TrafficWalk that routes each transfer and sums bytes by link.
class Flows {
 public:
  Flows(const Tiers& tiers, topology::Router& router, bool pxn, std::vector<double>& loads,
        std::vector<LinkId>& used)
      : tiers_(tiers), router_(router), pxn_(pxn), loads_(loads), used_(used) {}

  void inside(Rank from, Rank to, double bytes) { send(from, to, bytes); }
  void across(Rank from, Rank to, double bytes) {
    const Tiers::GpuPosition &a = tiers_.gpu_position(from), &b = tiers_.gpu_position(to);
    if (pxn_ && a.rail != b.rail) {
      const Rank proxy = tiers_.on_rail(a.node, b.rail);
      if (!proxy.is_none() && proxy != from) {
        send(from, proxy, bytes);
        from = proxy;
      }
    }
    send(from, to, bytes);
  }
  void exchange(std::span<const Rank> gpus, double each) {
    for (const Rank from : gpus) {
      for (const Rank to : gpus) {
        if (from == to) continue;
        if (tiers_.gpu_position(from).node == tiers_.gpu_position(to).node) {
          inside(from, to, each);
        } else {
          across(from, to, each);
        }
      }
    }
  }

 private:
  void send(Rank from, Rank to, double bytes) {
    const topology::Cluster& cluster = tiers_.cluster();
    hops_.clear();
    router_.route({.source = cluster.gpu(from), .destination = cluster.gpu(to)}, hops_);
    for (const auto& [link, share] : hops_) {
      double& load = loads_[link.index()];
      if (load == 0) used_.push_back(link);
      load += bytes * share;
    }
  }

  const Tiers& tiers_;
  topology::Router& router_;
  bool pxn_;
  std::vector<double>& loads_;
  std::vector<LinkId>& used_;
  std::vector<topology::Hop> hops_;
};

}  // namespace

/// A sink of TrafficWalk that routes from leaf to leaf only. It stops when a link takes longer than
/// `most`.
class RoutedScore::LeafFlows {
 public:
  LeafFlows(RoutedScore& score, double most) : score_(score), tiers_(*score.tiers_), most_(most) {}

  void inside(Rank, Rank, double) {}
  void across(Rank from, Rank to, double bytes) {
    if (is_over_) return;
    const Tiers::GpuPosition *a = &tiers_.gpu_position(from), &b = tiers_.gpu_position(to);
    if (score_.pxn_ && a->rail != b.rail) {
      const Rank proxy = tiers_.on_rail(a->node, b.rail);
      if (!proxy.is_none()) a = &tiers_.gpu_position(proxy);
    }
    if (a->leaf == b.leaf) return;
    topology::LeafRouter& router = *score_.leaf_router_;
    const std::size_t first = router.first_link().index();
    const bool found = router.route(a->nic, b.nic, [&](LinkId link, double share) {
      double& load = score_.loads_[link.index() - first];
      if (load == 0) score_.used_.push_back(link);
      load += bytes * share;
      seconds_ = std::max(seconds_, load * score_.seconds_per_byte_[link.index() - first]);
    });
    if (!found) seconds_ = std::numeric_limits<double>::infinity();
    is_over_ = seconds_ > most_;
  }
  void exchange(std::span<const Rank> gpus, double each) {
    for (const Rank from : gpus) {
      if (is_over_) return;
      for (const Rank to : gpus) {
        if (tiers_.gpu_position(from).node != tiers_.gpu_position(to).node) across(from, to, each);
      }
    }
  }
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  RoutedScore& score_;
  const Tiers& tiers_;
  double most_;
  double seconds_ = 0;
  bool is_over_ = false;
};

RoutedScore::RoutedScore(const Tiers& tiers, std::span<const TrafficPhase> phases,
                         const topology::RoutingOptions& routing, const EvaluateOptions& options)
    : tiers_(&tiers),
      phases_(phases),
      routing_(routing),
      pxn_(options.pxn),
      left_(options.left_of_links),
      payload_(topology::payload_fraction(tiers.cluster().spec().fabric)),
      walk_(tiers),
      lost_(phases.size(), 0) {
  for (std::size_t p = 0; p < phases.size(); ++p) order_.push_back(p);
}

RoutedScore::~RoutedScore() = default;

double RoutedScore::phase_seconds(const TrafficPhase& phase, const Mapping& mapping) {
  if (!router_) router_ = std::make_unique<topology::Router>(tiers_->cluster(), routing_);
  router_->forget();
  loads_.resize(tiers_->cluster().link_count(), 0.0);
  Flows flows(*tiers_, *router_, pxn_, loads_, used_);
  double most = 0;
  try {
    for (const Traffic& traffic : phase.traffic) walk_(traffic, mapping, flows);
    for (const LinkId link : used_) {
      const double left = left_.empty() ? 1.0 : left_[link.index()];
      most = std::max(most, loads_[link.index()] / left /
                                tiers_->cluster().link(link).bandwidth.bytes_per_second());
    }
  } catch (const InputError&) {  // no path
    most = std::numeric_limits<double>::infinity();
  }
  for (const LinkId link : used_) loads_[link.index()] = 0;
  used_.clear();
  return most;
}

double RoutedScore::operator()(const Mapping& mapping, double limit) {
  if (!even_) {
    even_ = std::make_unique<Evaluator>(*tiers_, phases_, EvaluateOptions{.pxn = pxn_});
  }
  const std::vector<Evaluator::PhaseSeconds> even = even_->phase_seconds(mapping);
  const auto least = [&](const Evaluator::PhaseSeconds& phase) {
    return phase.inside ? phase.seconds : phase.seconds * payload_;
  };
  double sum = 0;
  for (const Evaluator::PhaseSeconds& phase : even) sum += least(phase);
  const double most = limit * (1 + 1e-8);
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    if (sum > most || std::isinf(sum)) return std::numeric_limits<double>::infinity();
    if (even[p].inside && left_.empty()) continue;
    sum += phases_[p].count * phase_seconds(phases_[p], mapping) - least(even[p]);
  }
  return sum;
}

topology::LeafRouter* RoutedScore::leaf_router() {
  if (has_leaf_router_) return leaf_router_.get();
  has_leaf_router_ = true;
  const topology::Cluster& cluster = tiers_->cluster();
  leaf_router_ = topology::LeafRouter::make(cluster, routing_);
  if (!leaf_router_) return nullptr;
  const std::size_t first = leaf_router_->first_link().index();
  for (std::size_t i = first; i < cluster.link_count(); ++i)
    seconds_per_byte_.push_back(1 / cluster.link(LinkId(i)).bandwidth.bytes_per_second());
  return leaf_router_.get();
}

bool RoutedScore::is_quick_from(std::uint32_t node) {
  if (leaf_router() == nullptr) return false;
  const topology::Cluster& cluster = tiers_->cluster();
  const topology::NodeShape& shape = cluster.shape(NodeId(node));
  for (int g = 0; g < shape.gpu_count(); ++g) {
    const Rank gpu(cluster.node(NodeId(node)).first_rank.value() + static_cast<std::uint32_t>(g));
    const Tiers::GpuPosition& position = tiers_->gpu_position(gpu);
    if (position.nic_count != 1 || shape.nearest_nic(g) < 0) return false;
    if (position.nic != tiers_->first_nic(node) + static_cast<std::uint32_t>(shape.nearest_nic(g)))
      return false;
  }
  return true;
}

// Seconds of the busiest link above leaves; once a link exceeds `most`, the seconds of that link.
double RoutedScore::above_leaves(const TrafficPhase& phase, const Mapping& mapping, double most) {
  leaf_router_->forget();
  loads_.resize(std::max(loads_.size(), seconds_per_byte_.size()), 0.0);
  LeafFlows flows(*this, most);
  for (const Traffic& traffic : phase.traffic) walk_(traffic, mapping, flows);
  const std::size_t first = leaf_router_->first_link().index();
  for (const LinkId link : used_) loads_[link.index() - first] = 0;
  used_.clear();
  return flows.seconds();
}

double RoutedScore::operator()(const Mapping& mapping, std::span<const RoutedBound> bounds,
                               double limit) {
  constexpr double kAbove = std::numeric_limits<double>::infinity();
  const double most = limit * (1 + 1e-8);
  std::vector<double> seconds(phases_.size());
  double sum = 0;
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    seconds[p] = bounds[p].is_known ? bounds[p].below : bounds[p].least;
    sum += phases_[p].count * seconds[p];
  }
  for (const std::size_t p : order_) {
    if (sum > most) return kAbove;
    if (bounds[p].is_known) continue;
    const double slack = (most - sum) / phases_[p].count;
    const double found = above_leaves(phases_[p], mapping, seconds[p] + slack);
    const double routed = std::max(bounds[p].below, found);
    sum += phases_[p].count * (routed - seconds[p]);
    lost_[p] = phases_[p].count * (routed - seconds[p]);
    seconds[p] = routed;
  }
  if (sum > most || std::isinf(sum)) return kAbove;
  std::ranges::stable_sort(order_, std::ranges::greater{}, [&](std::size_t p) { return lost_[p]; });
  double total = 0;
  for (std::size_t p = 0; p < phases_.size(); ++p) total += phases_[p].count * seconds[p];
  return total;
}

}  // namespace railyard::placement
