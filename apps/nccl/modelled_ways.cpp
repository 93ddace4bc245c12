#include "apps/nccl/modelled_ways.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/schedule_request.hpp"
#include "collectives/nccl/tuning/tuning_names.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using collectives::Algorithm;
using collectives::Protocol;
using collectives::Schedule;

/// NCCL's NVLS, CollNet and PAT kernels exist with Simple alone (NCCL 2.30 src/graph/tuning.cc).
bool is_simple_only(std::string_view algorithm) {
  return algorithm.starts_with("nvls") || algorithm.starts_with("collnet") || algorithm == "pat";
}

/// What the user's environment says of the algorithms that it has names for.
std::string left_out(const Chooser& chooser, collectives::Kind kind, std::string_view algorithm,
                     Protocol protocol) {
  using namespace collectives::nccl;
  if (!is_tuned(kind)) return why_not(chooser.environment(), algorithm);
  const TuningSettings& settings = chooser.environment().tuning;
  const auto named = core::parse_enum<TuningAlgorithm>(algorithm);
  const auto& algorithms = settings.algorithms[index_of(kind)];
  const bool all = std::ranges::find(algorithms, false) == algorithms.end();
  if (named.value ? !algorithms[index_of(*named.value)] : !all)
    return fmt::format("{} leaves it out", settings.algorithm_text);
  if (settings.protocols[index_of(kind)][index_of(protocol)] == ProtocolUse::off)
    return fmt::format("{} leaves it out", settings.protocol_text);
  return {};
}

/// Why a way cannot be taken, or "": first what holds for the algorithm as a whole.
std::string reason_against(const Chooser& chooser, const ChoiceRequest& asked,
                           const Algorithm& algorithm, Protocol protocol) {
  const collectives::Kind kind = asked.collective.kind;
  std::string reason = why_not_built(chooser, asked, algorithm, protocol);
  if (reason.empty()) reason = left_out(chooser, kind, algorithm.name, protocol);
  if (!reason.empty() || protocol == Protocol::simple) return reason;
  if (!collectives::nccl::is_tuned(kind)) return "send and receive use the protocol simple";
  if (is_simple_only(algorithm.name))
    return fmt::format("{} uses the protocol simple", algorithm.name);
  return {};
}

collectives::TaskResult result_of(const Schedule& schedule, collectives::Executor& executor) {
  const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
  return executor.run({&task, 1}).tasks.front();
}

/// The smallest size of which every rank and channel has a part.
Bytes least_size(const ChoiceRequest& asked) {
  return size_of(asked.collective.type) * static_cast<std::int64_t>(asked.group->size());
}

/// The latency is what is left of the time when the line through it and the time of the smallest
/// size is drawn back to no bytes at all.
void split_time(Chooser& chooser, const ChoiceRequest& asked, Time time, Candidate& way) {
  ChoiceRequest small = asked;
  small.collective.bytes = std::min(least_size(asked), asked.collective.bytes);
  const auto least =
      result_of(built_way(chooser, small, way.algorithm, way.protocol), chooser.analytic());
  const Time small_time = least.finish - least.start;
  const auto more = static_cast<double>((asked.collective.bytes - small.collective.bytes).count());
  const double rate = more > 0 && time > small_time ? more / (time - small_time).seconds() : 0;
  const double small_bytes = static_cast<double>(small.collective.bytes.count());
  const double latency =
      rate > 0 ? std::max(0.0, small_time.seconds() - small_bytes / rate) : small_time.seconds();
  way.latency_us = Time::from_seconds(latency).microseconds();
  way.bandwidth_GBps = rate / 1e9;
}

void cost(Chooser& chooser, const ChoiceRequest& asked, CostDetail detail, Candidate& way) {
  const Schedule schedule = built_way(chooser, asked, way.algorithm, way.protocol);
  const auto result = result_of(schedule, chooser.analytic());
  const Time time = result.finish - result.start;
  way.channels = static_cast<int>(schedule.channels().size());
  way.time_us = time.microseconds();
  way.bound_by = result.bound_by.text;
  if (detail == CostDetail::everything) split_time(chooser, asked, time, way);
}

std::vector<Protocol> protocols_of(const ChoiceRequest& asked) {
  if (asked.protocol) return {*asked.protocol};
  return {Protocol::ll, Protocol::ll128, Protocol::simple};
}

}  // namespace

std::vector<Candidate> modelled_ways(Chooser& chooser, const ChoiceRequest& asked) {
  std::vector<Candidate> ways;
  for (const Algorithm& algorithm : collectives::algorithms()) {
    if (!algorithm.supports(asked.collective.kind)) continue;
    if (asked.algorithm != "auto" && asked.algorithm != algorithm.name) continue;
    for (const Protocol protocol : protocols_of(asked)) {
      Candidate& way = ways.emplace_back();
      way.algorithm = algorithm.name;
      way.protocol = protocol;
      way.bytes = asked.collective.bytes;
      way.why_not = reason_against(chooser, asked, algorithm, protocol);
    }
  }
  // No such algorithm, or not for this kind: build_schedule says it best.
  if (ways.empty()) {
    (void)built_way(chooser, asked, asked.algorithm, asked.protocol.value_or(Protocol::simple));
  }
  return ways;
}

void cost_ways(Chooser& chooser, const ChoiceRequest& asked, CostDetail detail,
               std::vector<Candidate>& ways) {
  for (Candidate& way : ways) {
    if (!way.why_not.empty()) continue;
    try {
      cost(chooser, asked, detail, way);
    } catch (const InputError& error) {  // no route
      way.why_not = error.diagnostics().front().message;
    }
  }
}

void mark_fastest(std::vector<Candidate>& ways) {
  Candidate* fastest = nullptr;
  for (Candidate& way : ways) {
    if (way.why_not.empty() && (fastest == nullptr || way.time_us < fastest->time_us))
      fastest = &way;
  }
  if (fastest != nullptr) fastest->chosen = true;
}

}  // namespace railyard::apps
