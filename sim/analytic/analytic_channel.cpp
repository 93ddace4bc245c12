#include "sim/analytic/analytic_channel.hpp"

namespace railyard::sim {

using collectives::Coupling;

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
    step_ = loop.steps.size();  // a loop without iterations
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

void AnalyticChannel::add_step(const collectives::Step& step, TransferRoutes& routes,
                               LinkSums& loads) {
  const auto& schedule = identity_.schedule;
  for (std::uint64_t i = 0; i < step.size(); ++i) {
    const auto transfer = step.at(i, iteration_);
    hops_.clear();
    routes.append(schedule, transfer, identity_.label, hops_);
    chain_.pass(transfer.source, transfer.destination, costs_.alpha.of(hops_), Time());
    weigh(hops_, costs_.cluster, costs_.wire);
    const auto bytes = static_cast<double>(schedule.bytes(identity_.channel, transfer).count());
    if (bytes == 0) continue;
    for (const auto& hop : hops_) loads.add(hop.link, hop.share * bytes);
  }
}

}  // namespace railyard::sim
