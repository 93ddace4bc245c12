#include "placement/serving/planner/served_run.hpp"

#include <fmt/format.h>

#include <string>

namespace railyard::placement::serving {
namespace {

/// A step as a span on its replica's row: "12 decodes, 2 prompts (2048 tokens), 3 waiting".
collectives::TimelineEvent span_of(const StepRecord& step, const ServingOption& option) {
  const auto prompts = static_cast<std::size_t>(option.prefill ? option.prefill_replicas : 0);
  const bool is_prompts = step.replica < prompts;
  std::string name;
  const auto add = [&](double count, const char* what, const std::string& more = {}) {
    if (count > 0)
      name += fmt::format("{}{:.0f} {}{}{}", name.empty() ? "" : ", ", count, what,
                          count == 1 ? "" : "s", more);
  };
  add(step.batch.decodes, "decode");
  add(step.batch.prompts, "prompt", fmt::format(" ({:.0f} tokens)", step.batch.prompt_tokens));
  if (step.waiting > 0) name += fmt::format(", {} waiting", step.waiting);
  return {.track = fmt::format("{} / replica {}", is_prompts ? "prompts" : "replicas",
                               is_prompts ? step.replica : step.replica - prompts),
          .name = name,
          .begin = Time::from_seconds(step.begin),
          .end = Time::from_seconds(step.end),
          .bytes = {}};
}

}  // namespace

ServedRun serve_option(const ServingPlanRequest& request, const ServingOption& option,
                       bool keeps_spans) {
  ServedRun run;
  ServiceTimeline timeline(request, option);
  run.requests = served_requests(request, option, [&](const StepRecord& step) {
    timeline.add(step);
    if (keeps_spans) run.spans.push_back(span_of(step, option));
  });
  run.timeline = timeline.points();
  return run;
}

}  // namespace railyard::placement::serving
