#include "placement/simulate/step_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace railyard::placement {
namespace {

/// Creates the events of passes.
class Passes {
 public:
  Passes(const StepPipeline& step, std::vector<StepEvent>& events) : step_(step), events_(events) {}

  void add(const PipelinePass& pass) {
    const auto chunk = static_cast<std::size_t>(pass.chunk);
    const bool forward = pass.kind == 'F';
    const PassCost& cost = forward ? step_.forward[chunk] : step_.backward[chunk];
    // Time of a pass without its collectives: computation, or waiting for the host's launches or
    // for weights. Passes of weight gradients have no collectives.
    const Time exposed = pass.kind == 'W' ? Time() : cost.tp + cost.cp + cost.ep;
    Time at = std::max(pass.begin, pass.end - exposed);
    put(pass, StepStream::compute, forward ? "F" : pass.kind == 'B' ? "B" : "W", pass.begin, at);
    for (const auto& [what, time] : {std::pair("tp", cost.tp), {"cp", cost.cp}, {"ep", cost.ep}}) {
      if (pass.kind == 'W' || time == Time()) continue;
      put(pass, StepStream::communication, what, at, std::min(pass.end, at + time));
      at = std::min(pass.end, at + time);
    }
    if (pass.sends)
      put(pass, pass.toward_next ? StepStream::send_next : StepStream::send_back, "send",
          pass.arrives - step_.pipeline.hop, pass.arrives);
  }

 private:
  void put(const PipelinePass& pass, StepStream stream, const char* what, Time begin, Time end) {
    if (end > begin)
      events_.push_back({pass.rank, stream, what, pass.micro_batch, pass.chunk, begin, end});
  }

  const StepPipeline& step_;
  std::vector<StepEvent>& events_;
};

/// Appends events of a stage one after another.
class EventSequence {
 public:
  EventSequence(int stage, Time at, std::vector<StepEvent>& events)
      : stage_(stage), at_(at), events_(events) {}
  void put(StepStream stream, const char* what, Time time) {
    if (time > Time()) events_.push_back({stage_, stream, what, -1, -1, at_, at_ + time});
    at_ += time;
  }
  void wait_until(Time at) { at_ = std::max(at_, at); }

 private:
  int stage_;
  Time at_;
  std::vector<StepEvent>& events_;
};

/// Adds the events after the passes of a stage. `reduced`: time at which all ranks of all classes
/// have their gradients.
void add_update(const ClassRun& step, int stage, Time reduced, std::vector<StepEvent>& events) {
  const ReplicaWork& work = step.work[static_cast<std::size_t>(stage)];
  EventSequence next(stage, step.run.done[static_cast<std::size_t>(stage)], events);
  if (step.behind) next.put(StepStream::replicas, "gradients", work.reduce);
  if (stage == step.first || stage + 1 == step.step.pipeline.ranks) {
    // Ends at the latest with the last of all gradients.
    next.wait_until(reduced - work.tied);
    next.put(StepStream::replicas, "tied", work.tied);
  }
  next.wait_until(reduced);
  next.put(StepStream::compute, "optimizer", work.optimizer);
  next.put(StepStream::communication, "offload", work.host);
  if (step.behind) next.put(StepStream::replicas, "weights", work.gather);
}

}  // namespace

const char* name_of(StepStream stream) {
  static constexpr std::array<const char*, 5> kNames{"compute", "communication", "sends forward",
                                                     "sends back", "replicas"};
  return kNames[static_cast<std::size_t>(stream)];
}

std::vector<StepEvent> step_timeline(const StepRun& step) {
  std::vector<StepEvent> events;
  for (std::size_t k = 0; k < step.classes.size(); ++k) {
    const ClassRun& one = step.classes[k];
    const std::size_t first = events.size();
    Passes passes(one.step, events);
    for (const PipelinePass& pass : one.run.passes) passes.add(pass);
    for (const ReplicaCollectiveSpan& pass : one.run.replicas)
      events.push_back({pass.rank, StepStream::replicas, pass.weights ? "weights" : "gradients", -1,
                        pass.chunk, pass.begin, pass.end});
    for (int stage = 0; stage < one.step.pipeline.ranks; ++stage)
      add_update(one, stage, step.reduced, events);
    if (step.classes.size() > 1)
      for (std::size_t e = first; e < events.size(); ++e) events[e].pipeline = static_cast<int>(k);
  }
  std::ranges::stable_sort(events, [](const StepEvent& a, const StepEvent& b) {
    return std::tuple(a.pipeline, a.stage, a.begin) < std::tuple(b.pipeline, b.stage, b.begin);
  });
  return events;
}

std::vector<StepEvent> step_timeline(const CostContext& c, const Strategy& s, int micro_batches) {
  const TypeBlocks parts = type_blocks(c, s);
  return step_timeline(run_step(c, s, parts.shapes, parts.blocks, micro_batches));
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
    trace.push_back({.track = fmt::format("{} / {}", stage, name_of(e.stream)),
                     .name = std::move(name),
                     .begin = e.begin,
                     .end = e.end,
                     .bytes = Bytes()});
  }
  return trace;
}

}  // namespace railyard::placement
