#include "collectives/nccl/choice/nccl_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "collectives/nccl/choice/analytic_choices.hpp"
#include "collectives/nccl/choice/requested_schedule.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"
#include "collectives/schedule/group_links.hpp"

namespace railyard::collectives::nccl {
namespace {

/// NCCL's float rounded to six decimals, which is more than NCCL prints: 15.02 instead of
/// 15.020000457763672.
double rounded(float value) { return std::round(static_cast<double>(value) * 1e6) / 1e6; }

TuningQuery query_of(const ChoiceRequest& request) {
  return {.kind = request.collective.kind,
          .bytes = request.collective.bytes.count(),
          .type = request.collective.type,
          .op = request.collective.op};
}

std::string reason_against(const TuningModel& model, const ChoiceRequest& request,
                           TuningAlgorithm algorithm, Protocol protocol) {
  const TuningEntry& entry = model.entry(request.collective.kind, algorithm, protocol);
  if (!entry.why_not.empty()) return entry.why_not;
  return std::string(why_not_reduced(query_of(request), algorithm));
}

std::string bound_of(const topology::Cluster& cluster, const Group& group, const TuningEntry& entry,
                     const AlgorithmChoice& choice) {
  if (choice.latency_us >= choice.time_us / 2) return "latency";
  switch (entry.limit) {
    case Limit::protocol:
      return fmt::format("NCCL's bandwidth limit for {} {}", choice.algorithm,
                         to_text(choice.protocol));
    case Limit::intra: return link_name(cluster, slowest_link_inside(cluster, group));
    case Limit::inter: return link_name(cluster, slowest_link_out(cluster, group));
  }
  return {};
}

AlgorithmChoice choice_of(const ChoiceSetting& setting, const TuningModel& model,
                          const ChoiceRequest& request, TuningAlgorithm algorithm,
                          Protocol protocol) {
  AlgorithmChoice choice;
  choice.algorithm = core::enum_name(algorithm);
  choice.protocol = protocol;
  choice.bytes = request.collective.bytes;
  choice.why_not = reason_against(model, request, algorithm, protocol);
  const TuningEntry& entry = model.entry(request.collective.kind, algorithm, protocol);
  if (!choice.why_not.empty()) {
    // NCCL's table has entries that NCCL never chooses.
    if (entry.why_not.empty() || !(entry.bandwidth > 0)) return choice;
    choice.latency_us = rounded(entry.latency);
    choice.bandwidth_GBps = rounded(entry.bandwidth);
    return choice;
  }
  choice.no_schedule = why_not_built(setting, request, *find_algorithm(choice.algorithm), protocol);
  const TuningQuery query = query_of(request);
  choice.channels =
      request.channels.value_or(launch_size(model, query.bytes, algorithm, protocol).channels);
  choice.latency_us = rounded(entry.latency);
  choice.bandwidth_GBps = rounded(entry.bandwidth);
  choice.time_us = rounded(estimated_time(model, query, algorithm, protocol));
  choice.bound_by = bound_of(setting.cluster, *request.group, entry, choice);
  return choice;
}

bool limits_channels(const NcclEnvironment& environment) {
  const SearchEnvironment& search = environment.search;
  return search.max_channels || search.max_ctas || search.nvls_channels;
}

/// The number of channels of a choice's schedule. Each head has the same number of them, unless
/// `is_limited`.
int schedule_channels(const AlgorithmChoice& choice, int own, bool is_limited) {
  if (is_limited || choice.algorithm == "ring" || choice.algorithm == "tree" ||
      choice.algorithm == "pat")
    return std::max(1, choice.channels);
  return std::max(1, choice.channels / std::max(1, own)) * own;
}

}  // namespace

std::vector<AlgorithmChoice> nccl_choices(const ChoiceSetting& setting, const TuningModel& model,
                                          const ChoiceRequest& request) {
  std::vector<AlgorithmChoice> choices;
  for (const TuningAlgorithm algorithm : kAllTuningAlgorithms) {
    if (request.algorithm != "auto" && request.algorithm != core::enum_name(algorithm)) continue;
    for (const Protocol protocol : kAllProtocols) {
      if (request.protocol && *request.protocol != protocol) continue;
      choices.push_back(choice_of(setting, model, request, algorithm, protocol));
    }
  }
  mark_fastest(choices);
  return choices;
}

Schedule nccl_schedule(const ChoiceSetting& setting, const ChoiceRequest& request,
                       const AlgorithmChoice& choice) {
  Schedule own =
      unbounded_schedule(setting, request, choice.algorithm, choice.protocol, request.channels);
  const int count = static_cast<int>(own.channels().size());
  const int channels = schedule_channels(choice, count, limits_channels(setting.environment));
  if (request.channels || channels == count) return own;
  return requested_schedule(setting, request, choice.algorithm, choice.protocol, channels);
}

}  // namespace railyard::collectives::nccl
