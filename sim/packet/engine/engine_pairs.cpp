// Engine: adds routes and queue pairs before the run.
#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

#include "sim/packet/engine/engine.hpp"
#include "sim/packet/transport/path_facts.hpp"

namespace railyard::sim::packet {
namespace {

constexpr std::int64_t kNever = SendOrder::kNever;

}  // namespace

std::uint32_t Engine::add_route(const RouteSpec& route) {
  Route made{.first = static_cast<std::uint32_t>(route_links_.size()),
             .before = static_cast<std::uint32_t>(leg_links_.size()),
             .overhead = route.is_inside ? 0 : overhead_,
             .last_link = route.links.back()};
  route_links_.insert(route_links_.end(), route.links.begin(), route.links.end());
  route_links_.push_back(kNone);
  leg_links_.insert(leg_links_.end(), route.before.begin(), route.before.end());
  made.behind = static_cast<std::uint32_t>(leg_links_.size());
  leg_links_.insert(leg_links_.end(), route.behind.begin(), route.behind.end());
  made.end = static_cast<std::uint32_t>(leg_links_.size());
  routes_.push_back(made);
  return static_cast<std::uint32_t>(routes_.size() - 1);
}

PathFacts Engine::facts_of(std::uint32_t route, std::uint32_t back) const {
  const auto links_of = [&](std::uint32_t way) {
    return way == kNone ? std::span<const std::uint32_t>()
                        : std::span(route_links_).subspan(routes_[way].first);
  };
  return path_facts(links_,
                    {.there = links_of(route),
                     .back = links_of(back),
                     .mtu = mtu_,
                     .bytes = mtu_ + routes_[route].overhead,
                     .ack_bytes = static_cast<std::uint32_t>(parameters_.nic.ack_bytes.count())});
}

std::uint32_t Engine::add_pair(std::uint32_t first_route, std::uint32_t routes, std::uint32_t back,
                               std::uint32_t traffic_class) {
  assert(traffic_class < class_count(parameters_.switches));
  QueuePair pair;
  if (back != kNone) pair.lane = static_cast<std::uint8_t>(traffic_class);
  pair.first_path = first_route;
  pair.paths = routes;
  pair.back_leg = back;
  if (parameters_.nic.recovery == Recovery::selective && back != kNone)
    pair.accepts = Accepts::selected;
  else if (routes > 1 && parameters_.nic.path_choice != PathChoice::flowlet)
    pair.accepts = Accepts::any;
  pair.sender = sender_of_[first_link(pair)];
  assert(pair.sender != kNone);
  const auto number = static_cast<std::uint32_t>(pairs_.size());
  const PathFacts path = facts_of(first_route, back);
  control_.add_pair(pair.sender, path);
  if (parameters_.nic.recovery == Recovery::selective) board_.add_pair();
  if (recycles_paths(parameters_.nic.path_choice)) recycled_.add_pair();
  if (skips_paths(parameters_.nic.path_choice)) skipped_.add_pair(routes);
  if (control_.is_pulled() && back != kNone) {
    add_pacer(last_link(pair), path.base_rtt);
    add_first_window(number, path);
  }
  if (control_.needs_feedback())
    flights_.add_pair(back == kNone || !control_.needs_records() ? 0 : path.switches);
  if (back == kNone) {
    pair.pace = pace_of(path.line_rate);
    pair.window = CongestionControl::kNoWindow;
  } else {
    set_pace(pair, number);
  }
  pairs_.push_back(pair);
  retries_.push_back(0);
  if (parameters_.nic.path_choice == PathChoice::flowlet) last_sent_at_.push_back(kNever);
  return number;
}

// Adds a pacer for a receiving port, which grants packets at the port's rate.
void Engine::add_pacer(std::uint32_t port, std::int64_t base_rtt) {
  if (pacer_of_[port] != kNone) return;
  pacer_of_[port] = static_cast<std::uint32_t>(pacers_.size());
  pacers_.emplace_back(links_.time_on(links_[port], mtu_ + overhead_));
  const RcccParameters& rccc = parameters_.rccc;
  if (rccc.oversubscription)
    pull_rates_.emplace_back(rccc, rccc.interval ? rccc.interval->picoseconds() : base_rtt);
}

// Sets the number of packets that a queue pair sends before the first pull: the initial window, by
// default the bandwidth-delay product of its path.
void Engine::add_first_window(std::uint32_t number, const PathFacts& path) {
  const double product = path.line_rate * static_cast<double>(path.base_rtt) / 8e12;
  const double packets = parameters_.nic.initial_window
                             ? static_cast<double>(parameters_.nic.initial_window->count()) / mtu_
                             : product / path.wire;
  Scoreboard::Counts& counts = board_.counts(number);
  counts.initial_window = static_cast<std::uint32_t>(std::max(1.0, std::ceil(packets)));
  counts.credit = counts.initial_window;
}

}  // namespace railyard::sim::packet
