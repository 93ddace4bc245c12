#include "collectives/nccl/choice/choice_prediction.hpp"

namespace railyard::collectives::nccl {

/// The pace of a choice without a schedule; faults and routing do not reach it.
std::optional<double> ChoicePrediction::paced(const ChoiceRequest& asked,
                                              const AlgorithmChoice& choice) const {
  if (pace == nullptr || has_faults) return std::nullopt;
  const auto found = pace->pace(*asked.group, {.collective = asked.collective,
                                               .algorithm = choice.algorithm,
                                               .protocol = choice.protocol,
                                               .channels = choice.channels});
  return found ? std::optional(found->total().microseconds()) : std::nullopt;
}

/// Whether NCCL's estimate ignores this limit.
bool ChoicePrediction::is_beyond_nccl(const Binding& bound) const {
  if (has_faults) return true;
  if (bound.link.is_none()) return bound.text != "latency" && bound.text != "messages to peers";
  return pace != nullptr && chooser.cluster().link(bound.link).kind == topology::LinkKind::fabric;
}

std::optional<double> ChoicePrediction::predict(ChoiceRequest asked,
                                                AlgorithmChoice& choice) const {
  if (!choice.why_not.empty()) return std::nullopt;
  if (!choice.no_schedule.empty()) return paced(asked, choice);
  asked.algorithm = choice.algorithm;
  asked.protocol = choice.protocol;
  const Schedule schedule = chooser.chosen_schedule(asked);
  const Task task{.schedule = &schedule, .start = Time(), .name = {}};
  const TaskResult result = engine.run({&task, 1}).tasks.front();
  if (is_beyond_nccl(result.bound_by)) choice.bound_by = result.bound_by.text;
  return (result.finish - result.start).microseconds();
}

}  // namespace railyard::collectives::nccl
