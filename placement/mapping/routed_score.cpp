#include "placement/mapping/routed_score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/diagnostic.hpp"
#include "placement/mapping/traffic_walk.hpp"
#include "topology/payload.hpp"

namespace railyard::placement {
namespace {

/// Routes what TrafficWalk finds and adds it up by link.
class Flows {
 public:
  Flows(const Tiers& tiers, topology::Router& router, bool pxn, std::vector<double>& loads,
        std::vector<LinkId>& used)
      : tiers_(tiers), router_(router), pxn_(pxn), loads_(loads), used_(used) {}

  void inside(Rank from, Rank to, double bytes) { send(from, to, bytes); }
  void across(Rank from, Rank to, double bytes) {
    const Tiers::Seat &a = tiers_.seat(from), &b = tiers_.seat(to);
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
        if (tiers_.seat(from).node == tiers_.seat(to).node) {
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

RoutedScore::RoutedScore(const Tiers& tiers, std::span<const TrafficPhase> phases,
                         const topology::RoutingOptions& routing, const EvaluateOptions& options)
    : tiers_(&tiers),
      phases_(phases),
      router_(tiers.cluster(), routing),
      pxn_(options.pxn),
      left_(options.left_of_links),
      loads_(tiers.cluster().link_count(), 0.0),
      even_(tiers, phases, {.pxn = options.pxn}) {}

double RoutedScore::phase_seconds(const TrafficPhase& phase, const Mapping& mapping) {
  router_.forget();
  Flows flows(*tiers_, router_, pxn_, loads_, used_);
  TrafficWalk walk(*tiers_);
  double most = 0;
  try {
    for (const Traffic& traffic : phase.traffic) walk(traffic, mapping, flows);
    for (const LinkId link : used_) {
      const double left = left_.empty() ? 1.0 : left_[link.index()];
      most = std::max(most, loads_[link.index()] / left /
                                tiers_->cluster().link(link).bandwidth.bytes_per_second());
    }
  } catch (const InputError&) {  // no way
    most = std::numeric_limits<double>::infinity();
  }
  for (const LinkId link : used_) loads_[link.index()] = 0;
  used_.clear();
  return most;
}

double RoutedScore::operator()(const Mapping& mapping, double limit) {
  const std::vector<Evaluator::PhaseSeconds> even = even_.phase_seconds(mapping);
  const double payload = topology::payload_fraction(tiers_->cluster().spec().fabric);
  const auto least = [&](const Evaluator::PhaseSeconds& phase) {
    return phase.inside ? phase.seconds : phase.seconds * payload;
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

}  // namespace railyard::placement
