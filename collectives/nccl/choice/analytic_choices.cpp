#include "collectives/nccl/choice/analytic_choices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/nccl/choice/requested_schedule.hpp"
#include "collectives/nccl/tuning/tuning_names.hpp"
#include "core/diagnostic.hpp"

namespace railyard::collectives::nccl {
namespace {

/// NCCL's NVLS, CollNet and PAT kernels only exist for the protocol Simple (NCCL 2.30
/// src/graph/tuning.cc).
bool is_simple_only(std::string_view algorithm) {
  return algorithm.starts_with("nvls") || algorithm.starts_with("collnet") || algorithm == "pat";
}

/// Why NCCL's environment variables exclude an algorithm or protocol, or "".
std::string excluded(const NcclEnvironment& environment, Kind kind, std::string_view algorithm,
                     Protocol protocol) {
  if (!is_tuned(kind)) return why_not(environment, algorithm);
  const TuningSettings& settings = environment.tuning;
  const auto named = core::parse_enum<TuningAlgorithm>(algorithm);
  const auto& algorithms = settings.algorithms[index_of(kind)];
  const bool all = std::ranges::find(algorithms, false) == algorithms.end();
  if (named.value ? !algorithms[index_of(*named.value)] : !all)
    return fmt::format("{} excludes it", settings.algorithm_text);
  if (settings.protocols[index_of(kind)][index_of(protocol)] == ProtocolUse::off)
    return fmt::format("{} excludes it", settings.protocol_text);
  return {};
}

/// The reason why a choice is not allowed, or ""; reasons for the whole algorithm come first.
std::string reason_against(const ChoiceSetting& setting, const ChoiceRequest& request,
                           const Algorithm& algorithm, Protocol protocol) {
  const Kind kind = request.collective.kind;
  std::string reason = why_not_built(setting, request, algorithm, protocol);
  if (reason.empty()) reason = excluded(setting.environment, kind, algorithm.name, protocol);
  if (!reason.empty() || protocol == Protocol::simple) return reason;
  if (!is_tuned(kind)) return "send and receive use the protocol simple";
  if (is_simple_only(algorithm.name))
    return fmt::format("{} uses the protocol simple", algorithm.name);
  return {};
}

Run run_of(const Schedule& schedule, Executor& executor) {
  const Task task{.schedule = &schedule, .start = Time(), .name = {}};
  return executor.run({&task, 1});
}

/// The smallest size at which each rank has data on each channel.
Bytes least_size(const ChoiceRequest& request) {
  return size_of(request.collective.type) * static_cast<std::int64_t>(request.group->size());
}

/// Splits a time into latency and bytes / bandwidth by a line through it and the time of the
/// smallest size: rate = (bytes - small) / (time - small time), latency = small time - small /
/// rate.
void split_time(const ChoiceSetting& setting, const ChoiceRequest& request, Executor& analytic,
                Time time, AlgorithmChoice& choice) {
  ChoiceRequest small = request;
  small.collective.bytes = std::min(least_size(request), request.collective.bytes);
  const TaskResult least =
      run_of(requested_schedule(setting, small, choice.algorithm, choice.protocol), analytic)
          .tasks.front();
  const Time small_time = least.finish - least.start;
  const auto more =
      static_cast<double>((request.collective.bytes - small.collective.bytes).count());
  const double rate = more > 0 && time > small_time ? more / (time - small_time).seconds() : 0;
  const double small_bytes = static_cast<double>(small.collective.bytes.count());
  const double latency =
      rate > 0 ? std::max(0.0, small_time.seconds() - small_bytes / rate) : small_time.seconds();
  choice.latency_us = Time::from_seconds(latency).microseconds();
  choice.bandwidth_GBps = rate / 1e9;
}

void add_cost(const ChoiceSetting& setting, const ChoiceRequest& request, Executor& analytic,
              CostDetail detail, AlgorithmChoice& choice) {
  const Schedule schedule = requested_schedule(setting, request, choice.algorithm, choice.protocol);
  const Run run = run_of(schedule, analytic);
  const TaskResult& result = run.tasks.front();
  for (const std::string& note : run.notes)
    if (note.find("estimated") != std::string::npos) choice.note = note;
  const Time time = result.finish - result.start;
  choice.channels = static_cast<int>(schedule.channels().size());
  choice.time_us = time.microseconds();
  choice.bound_by = result.bound_by.text;
  if (detail == CostDetail::everything) split_time(setting, request, analytic, time, choice);
}

std::vector<Protocol> protocols_of(const ChoiceRequest& request) {
  if (request.protocol) return {*request.protocol};
  return {Protocol::ll, Protocol::ll128, Protocol::simple};
}

}  // namespace

std::vector<AlgorithmChoice> analytic_choices(const ChoiceSetting& setting,
                                              const ChoiceRequest& request) {
  std::vector<AlgorithmChoice> choices;
  for (const Algorithm& algorithm : algorithms()) {
    if (!algorithm.supports(request.collective.kind)) continue;
    if (request.algorithm != "auto" && request.algorithm != algorithm.name) continue;
    for (const Protocol protocol : protocols_of(request)) {
      AlgorithmChoice& choice = choices.emplace_back();
      choice.algorithm = algorithm.name;
      choice.protocol = protocol;
      choice.bytes = request.collective.bytes;
      choice.why_not = reason_against(setting, request, algorithm, protocol);
    }
  }
  // An unknown algorithm, or one of another kind of collective: build_schedule throws the reason.
  if (choices.empty()) {
    (void)requested_schedule(setting, request, request.algorithm,
                             request.protocol.value_or(Protocol::simple));
  }
  return choices;
}

void add_costs(const ChoiceSetting& setting, const ChoiceRequest& request, Executor& analytic,
               CostDetail detail, std::vector<AlgorithmChoice>& choices) {
  for (AlgorithmChoice& choice : choices) {
    if (!choice.why_not.empty()) continue;
    try {
      add_cost(setting, request, analytic, detail, choice);
    } catch (const InputError& error) {  // no route
      choice.why_not = error.diagnostics().front().message;
    }
  }
}

void mark_fastest(std::vector<AlgorithmChoice>& choices) {
  AlgorithmChoice* fastest = nullptr;
  for (AlgorithmChoice& choice : choices) {
    if (choice.why_not.empty() && (fastest == nullptr || choice.time_us < fastest->time_us))
      fastest = &choice;
  }
  if (fastest != nullptr) fastest->chosen = true;
}

}  // namespace railyard::collectives::nccl
