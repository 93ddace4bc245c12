#include "placement/step_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace railyard::placement {
namespace {

class Timeline {
 public:
  Timeline(const StepPipeline& step, const Strategy& strategy) : step_(step), strategy_(strategy) {}

  void add(const PipelinePass& pass) {
    const auto chunk = static_cast<std::size_t>(pass.chunk);
    const bool forward = pass.kind == 'F';
    const PassCost& cost = forward ? step_.forward[chunk] : step_.backward[chunk];
    // What a pass takes beyond its collectives: computing, or waiting for the host's launches. A
    // pass that only makes gradients of weights has no collectives.
    const Time exposed = pass.kind == 'W' ? Time() : cost.tp + cost.cp + cost.ep;
    Time at = std::max(pass.begin, pass.end - exposed);
    put(pass, true, forward ? "F" : pass.kind == 'B' ? "B" : "W", pass.begin, at);
    for (const auto& [what, time] : {std::pair("tp", cost.tp), {"cp", cost.cp}, {"ep", cost.ep}}) {
      if (pass.kind == 'W' || time == Time()) continue;
      put(pass, false, what, at, std::min(pass.end, at + time));
      at = std::min(pass.end, at + time);
    }
    const int last = strategy_.pp * strategy_.interleave - 1;
    const bool sends = forward ? pass.chunk < last : pass.kind == 'B' && pass.chunk > 0;
    if (sends && step_.pipeline.hop > Time())
      put(pass, false, "send", pass.end, pass.end + step_.pipeline.hop);
  }

  void add_after(Time total, const StepCost& cost) {
    for (int stage = 0; stage < strategy_.pp; ++stage) {
      Time at = total;
      const auto put_next = [&](bool computes, const char* what, Time time) {
        if (time > Time()) events_.push_back({stage, computes, what, -1, -1, at, at + time});
        at += time;
      };
      put_next(false, "gradients", cost.dp);
      put_next(true, "optimizer", cost.optimizer);
      put_next(false, "offload", cost.offload);
    }
  }

  std::vector<StepEvent> take() {
    std::ranges::stable_sort(events_, [](const StepEvent& a, const StepEvent& b) {
      return std::pair(a.stage, a.begin) < std::pair(b.stage, b.begin);
    });
    return std::move(events_);
  }

 private:
  void put(const PipelinePass& pass, bool computes, const char* what, Time begin, Time end) {
    if (end > begin)
      events_.push_back({pass.rank, computes, what, pass.micro_batch, pass.chunk, begin, end});
  }

  const StepPipeline& step_;
  const Strategy& strategy_;
  std::vector<StepEvent> events_;
};

}  // namespace

std::vector<StepEvent> step_timeline(const CostContext& c, const Strategy& s, int micro_batches) {
  const GroupShapes shapes = group_shapes(s, c.order, c.gpus_per_node);
  const Blocks blocks = block_costs(c, s, shapes);
  StepPipeline step = step_pipeline(c, s, shapes, blocks);
  int& m = step.pipeline.micro_batches;
  if (micro_batches > 0 && m > micro_batches) m = std::max(s.pp, micro_batches / s.pp * s.pp);
  const PipelineRun run = run_pipeline(step.pipeline, step.chunks);
  Timeline timeline(step, s);
  for (const PipelinePass& pass : run.passes) timeline.add(pass);
  timeline.add_after(run.total, step_cost(c, s, shapes, blocks));
  return timeline.take();
}

std::vector<collectives::TimelineEvent> trace_events(std::span<const StepEvent> events) {
  std::vector<collectives::TimelineEvent> trace;
  for (const StepEvent& e : events) {
    std::string name = e.what;
    if (e.micro_batch >= 0) name += fmt::format(" {}", e.micro_batch);
    if (e.chunk >= 0) name += fmt::format(" (chunk {})", e.chunk);
    trace.push_back(
        {.track = fmt::format("stage {} / {}", e.stage, e.computes ? "compute" : "communication"),
         .name = std::move(name),
         .begin = e.begin,
         .end = e.end,
         .bytes = Bytes()});
  }
  return trace;
}

}  // namespace railyard::placement
