#include "placement/step_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace railyard::placement {
namespace {

/// Writes the events of passes.
class Passes {
 public:
  Passes(const StepPipeline& step, const Strategy& strategy, std::vector<StepEvent>& events)
      : step_(step), strategy_(strategy), events_(events) {}

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

 private:
  void put(const PipelinePass& pass, bool computes, const char* what, Time begin, Time end) {
    if (end > begin)
      events_.push_back({pass.rank, computes, what, pass.micro_batch, pass.chunk, begin, end});
  }

  const StepPipeline& step_;
  const Strategy& strategy_;
  std::vector<StepEvent>& events_;
};

}  // namespace

void add_passes(const StepPipeline& step, const Strategy& strategy, const PipelineRun& run,
                std::vector<StepEvent>& events) {
  Passes passes(step, strategy, events);
  for (const PipelinePass& pass : run.passes) passes.add(pass);
}

void add_after(const StepCost& cost, int stages, Time from, std::vector<StepEvent>& events) {
  for (int stage = 0; stage < stages; ++stage) {
    Time at = from;
    const auto put_next = [&](bool computes, const char* what, Time time) {
      if (time > Time()) events.push_back({stage, computes, what, -1, -1, at, at + time});
      at += time;
    };
    put_next(false, "gradients", cost.dp);
    put_next(true, "optimizer", cost.optimizer);
    put_next(false, "offload", cost.offload);
  }
}

void sort_events(std::vector<StepEvent>& events) {
  std::ranges::stable_sort(events, [](const StepEvent& a, const StepEvent& b) {
    return std::tuple(a.pipeline, a.stage, a.begin) < std::tuple(b.pipeline, b.stage, b.begin);
  });
}

int shown_micro_batches(int m, int most, int stages) {
  return most > 0 && m > most ? std::max(stages, most / stages * stages) : m;
}

std::vector<StepEvent> step_timeline(const CostContext& c, const Strategy& s, int micro_batches) {
  const GroupShapes shapes = group_shapes(s, c.order, c.gpus_per_node);
  const Blocks blocks = block_costs(c, s, shapes);
  StepPipeline step = step_pipeline(c, s, shapes, blocks);
  int& m = step.pipeline.micro_batches;
  m = shown_micro_batches(m, micro_batches, s.pp);
  const PipelineRun run = run_pipeline(step.pipeline, step.chunks);
  std::vector<StepEvent> events;
  add_passes(step, s, run, events);
  add_after(step_cost(c, s, shapes, blocks), s.pp, run.total, events);
  sort_events(events);
  return events;
}

std::vector<collectives::TimelineEvent> trace_events(std::span<const StepEvent> events) {
  std::vector<collectives::TimelineEvent> trace;
  for (const StepEvent& e : events) {
    std::string name = e.what;
    if (e.micro_batch >= 0) name += fmt::format(" {}", e.micro_batch);
    if (e.chunk >= 0) name += fmt::format(" (chunk {})", e.chunk);
    const std::string stage = e.pipeline < 0
                                  ? fmt::format("stage {}", e.stage)
                                  : fmt::format("pipeline {} stage {}", e.pipeline, e.stage);
    trace.push_back(
        {.track = fmt::format("{} / {}", stage, e.computes ? "compute" : "communication"),
         .name = std::move(name),
         .begin = e.begin,
         .end = e.end,
         .bytes = Bytes()});
  }
  return trace;
}

}  // namespace railyard::placement
