#include "sim/flow/flow_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sim/link_capacity.hpp"

namespace railyard::sim {
namespace {

std::vector<double> chosen(const std::vector<double>& by_link, const LinkNumbers& numbers) {
  if (numbers.is_all()) return by_link;
  std::vector<double> values(numbers.count());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = by_link[numbers.link(LinkId(i)).index()];
  return values;
}

}  // namespace

FlowState::FlowState(FlowWorkspace& workspace, LinkNumbers links, const FlowOptions& options,
                     std::size_t task_count)
    : cluster(workspace.cluster),
      routes(workspace.routes),
      capacities(workspace.capacities),
      network_share(workspace.network_share),
      watch(options.watch),
      sums(workspace.sums),
      numbers(links),
      fluid(chosen(workspace.capacities, links),
            {.certify = options.certify, .coalesce = options.coalesce}),
      record_timeline(options.timeline),
      tasks(task_count, {.active = {}, .demand = NodeLinkDemand(workspace.cluster)}) {}

std::span<const topology::Hop> FlowState::numbered(std::span<const topology::Hop> hops) {
  if (numbers.is_all()) return hops;
  scratch_.assign(hops.begin(), hops.end());
  for (topology::Hop& hop : scratch_) {
    const LinkId number = numbers.number(hop.link);
    if (number.is_none())
      throw std::logic_error(
          fmt::format("a path leaves its part of the network over {}", cluster.name(hop.link)));
    hop.link = number;
  }
  return scratch_;
}

void FlowState::set_capacity(LinkId link, double bytes_per_second) {
  const LinkId number = numbers.number(link);
  capacities_before_.emplace_back(link, capacities[link.index()]);
  capacities[link.index()] = bytes_per_second;
  if (!number.is_none()) fluid.set_capacity(number, bytes_per_second);
}

void FlowState::restore_capacities() {
  for (auto change = capacities_before_.rbegin(); change != capacities_before_.rend(); ++change)
    capacities[change->first.index()] = change->second;
  capacities_before_.clear();
}

void FlowState::note_demand(const ChannelContext& context, const collectives::Transfer& transfer,
                            std::span<const topology::Hop> hops, double rate) {
  if (!std::isfinite(rate)) return;
  const FittedLinks fitted(cluster, context.schedule, transfer, context.pace->inside);
  tasks[context.task].demand.add(fitted, hops, rate * context.wire.node);
}

void FlowState::raise_capacities(std::uint32_t task) {
  tasks[task].demand.for_each_exceeded([&](LinkId link, double rate) {
    const double before = sound_capacity(link);
    const double needed = std::min(rate, cluster.link(link).line_rate.bytes_per_second());
    if (before >= needed) return;
    raised_[link] = needed;
    set_capacity(link, capacities[link.index()] / before * needed);
  });
}

double FlowState::sound_capacity(LinkId link) const {
  const auto raised = raised_.find(link);
  return raised != raised_.end() ? raised->second : link_capacity(cluster, link, network_share);
}

StreamId FlowState::start(std::span<const topology::Hop> hops, double bytes, Owner owner,
                          double most) {
  const StreamId stream = fluid.add({.hops = numbered(hops), .bytes = bytes, .rate_cap = most});
  own(stream, owner);
  return stream;
}

void FlowState::own(StreamId stream, Owner owner) {
  auto& active = tasks[owner.task].active;
  owner.place = static_cast<std::uint32_t>(active.size());
  active.push_back(stream);
  if (owners.size() <= stream.index()) owners.resize(stream.index() + 1);
  owners[stream.index()] = owner;
}

void FlowState::reroute(StreamId stream, std::span<const topology::Hop> hops) {
  fluid.reroute(stream, numbered(hops));
}

FlowState::Owner FlowState::retire(StreamId stream) {
  const Owner owner = owners[stream.index()];
  auto& active = tasks[owner.task].active;
  active[owner.place] = active.back();
  owners[active.back().index()].place = owner.place;
  active.pop_back();
  return owner;
}

}  // namespace railyard::sim
