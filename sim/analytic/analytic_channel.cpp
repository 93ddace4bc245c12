#include "sim/analytic/analytic_channel.hpp"

#include <algorithm>

#include "collectives/algorithms/alike_transfers.hpp"
#include "sim/flow/transfer_loads.hpp"

namespace railyard::sim {

using collectives::Coupling;

namespace {
// Steps with more transfers are sampled. A pass over this many, an all-to-all of 1,024 GPUs, takes
// a few tenths of a second.
constexpr std::uint64_t kMostTransfers = 1 << 20;
// Sizes of the samples: transfers whose loads are counted (see TransferLoads), and paths whose
// latencies are computed. A test compares the result with that of all transfers.
constexpr std::uint64_t kSampled = 1 << 18;
constexpr std::uint64_t kSampledPaths = 4096;
}  // namespace

bool AnalyticChannel::next_phase(TransferRoutes& routes, LinkSums& loads, LinkSums& scratch) {
  if (stage_ == stages_.size()) return false;
  const Stage& stage = stages_[stage_];
  if (stage.kind == Stage::Kind::steady) {
    add_coupled(stage, routes, loads, scratch);
    ++stage_;
    return true;
  }
  const auto& loop = stage.loops[loop_];
  if (loop.coupling == Coupling::independent) {
    for (iteration_ = 0; iteration_ < loop.repeat; ++iteration_)
      for (const auto& step : loop.steps) add_step(step, routes, loads);
    step_ = loop.steps.size();
    chain_.end_step();
  } else if (iteration_ < loop.repeat && step_ < loop.steps.size()) {
    add_step(loop.steps[step_++], routes, loads);
    chain_.end_step();
    if (step_ == loop.steps.size() && iteration_ + 1 < loop.repeat) {
      step_ = 0;
      ++iteration_;
    }
  } else {
    step_ = loop.steps.size();  // the loop has no iterations
  }
  end_loop_if_done();
  return true;
}

void AnalyticChannel::end_loop_if_done() {
  const Stage& stage = stages_[stage_];
  if (step_ < stage.loops[loop_].steps.size()) return;
  step_ = 0;
  iteration_ = 0;
  if (++loop_ < stage.loops.size()) return;
  loop_ = 0;
  ++stage_;
  latency_ += chain_.longest().alpha;
  chain_ = {};
}

void AnalyticChannel::add_coupled(const Stage& stage, TransferRoutes& routes, LinkSums& loads,
                                  LinkSums& scratch) {
  const auto routed =
      route_body(identity_.schedule, identity_.channel, stage, identity_.label, routes);
  const auto stream = steady_stream(routed, costs_.cluster, costs_.wire, scratch);
  for (const auto& hop : stream.hops) loads.add(hop.link, hop.share * stream.bytes);
  latency_ += stage_latency(stage, routed, costs_, scratch).total();
}

bool AnalyticChannel::add_sampled(const collectives::Step& step, TransferRoutes& routes,
                                  LinkSums& loads) {
  const auto rounds = step.size() > kMostTransfers ? rounds_of(step) : std::nullopt;
  if (!rounds || rounds->count == 0) return false;
  const auto& schedule = identity_.schedule;
  const topology::Cluster& cluster = costs_.cluster;
  Time alpha;
  const auto visit = [&](std::uint64_t most, auto&& take) {
    for (const std::uint64_t round : sampled_rounds(*rounds, most))
      for (std::uint64_t rank = 0; rank < rounds->ranks; ++rank) {
        hops_.clear();
        routes.append(schedule, rounds->at(round, rank), identity_.label, hops_);
        alpha = std::max(alpha, costs_.alpha.of(hops_));
        if (!take()) return;
      }
  };
  const auto bytes =
      static_cast<double>(schedule.bytes(identity_.channel, rounds->at(0, 0)).count());
  const auto loads_of = transfer_loads({.cluster = cluster,
                                        .routing = routes.routing(),
                                        .faults = routes.faults(),
                                        .most = kSampled},
                                       schedule, identity_.channel, step, identity_.label);
  if (loads_of) {
    is_sampled_ = is_sampled_ || loads_of->counted < loads_of->transfers;
    for (std::size_t i = 0; i < loads_of->crossings.size(); ++i)
      if (loads_of->crossings[i] > 0)
        loads.add(LinkId(i),
                  loads_of->crossings[i] * bytes * costs_.wire.of(cluster.link(LinkId(i)).kind));
    std::uint64_t paths = 0;
    visit(kSampledPaths, [&] { return ++paths < kSampledPaths; });
  } else {
    const std::uint64_t numbers = sampled_rounds(*rounds, kSampled).size();
    const double scale = bytes * static_cast<double>(rounds->count) *
                         static_cast<double>(rounds->alike) / static_cast<double>(numbers);
    is_sampled_ = is_sampled_ || numbers < rounds->count;
    visit(kSampled, [&] {
      weigh(hops_, cluster, costs_.wire);
      for (const auto& hop : hops_) loads.add(hop.link, hop.share * scale);
      return true;
    });
  }
  for (collectives::Participant p = 0; p < schedule.participants(); ++p)
    chain_.pass(p, p, alpha, Time());
  return true;
}

void AnalyticChannel::add_step(const collectives::Step& step, TransferRoutes& routes,
                               LinkSums& loads) {
  if (add_sampled(step, routes, loads)) return;
  const auto& schedule = identity_.schedule;
  // If all chunks are whole blocks they have the same size. Transfers that differ only in their
  // chunk are then processed once.
  const bool whole_blocks = schedule.channels()[identity_.channel].chunks_per_block == 1;
  const std::uint64_t size = step.size();
  for (std::uint64_t i = 0, alike = 1; i < size; i += alike) {
    if (whole_blocks) alike = collectives::alike_transfers(step.pattern, i);
    const auto transfer = step.at(i, iteration_);
    hops_.clear();
    routes.append(schedule, transfer, identity_.label, hops_);
    chain_.pass(transfer.source, transfer.destination, costs_.alpha.of(hops_), Time());
    weigh(hops_, costs_.cluster, costs_.wire);
    const auto bytes = static_cast<double>(alike) *
                       static_cast<double>(schedule.bytes(identity_.channel, transfer).count());
    if (bytes == 0) continue;
    for (const auto& hop : hops_) loads.add(hop.link, hop.share * bytes);
  }
}

}  // namespace railyard::sim
