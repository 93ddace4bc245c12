#include "apps/place/place_request.hpp"

#include "apps/cli/flag_value.hpp"
#include "apps/place/place_engine.hpp"
#include "apps/place/place_flags.hpp"
#include "apps/place/step_sections.hpp"
#include "core/diagnostic.hpp"
#include "placement/search/further_settings.hpp"

namespace railyard::apps {
namespace {

std::optional<Bytes> memory_budget(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return flag_value(core::parse_bytes(text), "--memory", "--memory 70GiB");
}

std::optional<Time> restart_downtime(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return flag_value(core::parse_time(text), "--restart", "--restart 5min");
}

}  // namespace

PlaceRequest place_request(const PlaceFlags& flags) {
  return {.source = {.cluster = flags.cluster,
                     .fabric = flags.fabric,
                     .job = flags.job,
                     .model = flags.model,
                     .batch = flags.batch,
                     .sequence = flags.sequence,
                     .order = placement::parse_order(flags.order, "--order"),
                     .occupied = flags.occupied,
                     .gemm_tables = flags.gemm_tables,
                     .memory = memory_budget(flags.memory),
                     .seed = flags.seed},
          .queue = flags.queue,
          .given = {.fix = flags.fix,
                    .megatron = flags.megatron,
                    .keeps_batch = flags.batch.has_value(),
                    .keeps_sequence = flags.sequence.has_value()},
          .max_batch = flags.max_batch,
          .space = placement::search_space(flags.also, !flags.no_overlap, flags.offload),
          .top = flags.top,
          .verify = flags.verify,
          .fidelity = flags.fidelity,
          .mapping = flags.mapping,
          .wide = flags.wide,
          .timeline = flags.timeline,
          .range = flags.range,
          .whole_step = flags.whole_step,
          .workload = flags.workload,
          .objective = objective_choice(flags.objective),
          .lost = flags.lost,
          .added = flags.added,
          .restart = restart_downtime(flags.restart),
          .launch = {.targets = flags.emit,
                     .hosts = flags.hosts,
                     .cores = flags.cores,
                     .command = flags.command,
                     .job = flags.job.empty() ? flags.model : flags.job},
          .output = flags.output};
}

placement::CandidateRequest candidate_request(const PlaceRequest& request,
                                              std::optional<placement::GivenStrategy> given,
                                              placement::Goal goal) {
  const int verify = request.verify.value_or(given ? 0 : kVerified);
  placement::CandidateRequest candidates{.given = std::move(given),
                                         .space = request.space,
                                         .goal = std::move(goal),
                                         .top = request.top.value_or(kTop),
                                         .verify = verify,
                                         .engines = engines_of(request.fidelity, request.announce)};
  candidates.keeps_fastest =
      !request.output.trace.empty() || request.timeline || request.whole_step;
  if (!request.output.trace.empty()) candidates.runs.push_back(0);
  if (request.timeline) candidates.runs.push_back(kShownMicroBatches);
  return candidates;
}

}  // namespace railyard::apps
