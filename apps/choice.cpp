#include "apps/choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "core/enum_names.hpp"

namespace railyard::apps {
namespace {

using collectives::Algorithm;
using collectives::Collective;
using collectives::Kind;
using collectives::Protocol;
using collectives::Request;
using collectives::Schedule;

Request request_of(const ChoiceRequest& asked, Protocol protocol, std::optional<int> channels) {
  return {.cluster = asked.cluster,
          .group = asked.group,
          .collective = asked.collective,
          .options = {.channels = channels,
                      .protocol = protocol,
                      .chunk = std::nullopt,
                      .cross_nic = asked.environment.cross_nic}};
}

/// NCCL's send and receive use Simple; its LL buffers of the network are off unless asked for
/// (facts: NCCL 2.30 src/enqueue.cc, NCCL_P2P_LL_THRESHOLD).
bool is_point_to_point(Kind kind) { return kind == Kind::all_to_all || kind == Kind::send_recv; }

/// NCCL's NVLS, CollNet and PAT kernels exist with Simple alone (NCCL 2.30 src/graph/tuning.cc).
bool is_simple_only(std::string_view algorithm) {
  return algorithm.starts_with("nvls") || algorithm.starts_with("collnet") || algorithm == "pat";
}

/// Why a way cannot be taken, or "": first what holds for the algorithm as a whole.
std::string reason_against(const ChoiceRequest& asked, const Algorithm& algorithm,
                           Protocol protocol) {
  const Kind kind = asked.collective.kind;
  std::string reason = algorithm.why_not(request_of(asked, protocol, asked.channels));
  if (reason.empty()) reason = why_not(asked.environment, kind, algorithm.name, protocol);
  if (!reason.empty() || protocol == Protocol::simple) return reason;
  if (is_point_to_point(kind)) return "send and receive use the protocol simple";
  if (is_simple_only(algorithm.name))
    return fmt::format("{} uses the protocol simple", algorithm.name);
  return {};
}

/// Builds what reason_against has nothing against.
Schedule built(const ChoiceRequest& asked, std::string_view algorithm, Protocol protocol) {
  Schedule schedule = build_schedule(algorithm, request_of(asked, protocol, asked.channels));
  if (asked.channels) return schedule;
  const auto channels =
      clamped_channels(asked.environment, static_cast<int>(schedule.channels().size()));
  if (!channels) return schedule;
  return build_schedule(algorithm, request_of(asked, protocol, channels));
}

collectives::TaskResult result_of(const Schedule& schedule, collectives::Executor& executor) {
  const collectives::Task task{.schedule = &schedule, .start = Time(), .name = {}};
  return executor.run({&task, 1}).tasks.front();
}

/// The smallest size of which every rank and channel has a part.
Bytes least_size(const ChoiceRequest& asked) {
  return size_of(asked.collective.type) * static_cast<std::int64_t>(asked.group->size());
}

/// Fills in time, latency and bandwidth. The latency is what is left of the time when the line
/// through it and the time of the smallest size is drawn back to no bytes at all.
void cost(const ChoiceRequest& asked, collectives::Executor& executor, Candidate& candidate) {
  const Schedule schedule = built(asked, candidate.algorithm, candidate.protocol);
  const auto result = result_of(schedule, executor);
  candidate.channels = static_cast<int>(schedule.channels().size());
  candidate.time = result.finish - result.start;
  candidate.bound_by = result.bound_by.text;
  ChoiceRequest small = asked;
  small.collective.bytes = std::min(least_size(asked), asked.collective.bytes);
  const auto least = result_of(built(small, candidate.algorithm, candidate.protocol), executor);
  const double small_time = (least.finish - least.start).seconds();
  const auto more = static_cast<double>((asked.collective.bytes - small.collective.bytes).count());
  const double rate = more > 0 && candidate.time.seconds() > small_time
                          ? more / (candidate.time.seconds() - small_time)
                          : 0;
  const double small_bytes = static_cast<double>(small.collective.bytes.count());
  candidate.latency =
      Time::from_seconds(rate > 0 ? std::max(0.0, small_time - small_bytes / rate) : small_time);
  candidate.bandwidth_GBps = rate / 1e9;
}

/// Costs what nothing speaks against so far; what the cluster has no route for cannot run either.
template <class Cost>
void cost_all(std::vector<Candidate>& ways, Cost cost_one) {
  for (Candidate& way : ways) {
    if (!way.why_not.empty()) continue;
    try {
      cost_one(way);
    } catch (const InputError& error) {
      way.why_not = error.diagnostics().front().message;
    }
  }
}

void mark_fastest(std::vector<Candidate>& ways) {
  Candidate* fastest = nullptr;
  for (Candidate& way : ways) {
    if (way.why_not.empty() && (fastest == nullptr || way.time < fastest->time)) fastest = &way;
  }
  if (fastest != nullptr) fastest->chosen = true;
}

std::vector<Protocol> protocols_of(const ChoiceRequest& asked) {
  if (asked.protocol) return {*asked.protocol};
  return {Protocol::ll, Protocol::ll128, Protocol::simple};
}

/// What is wrong whatever the algorithm.
void check(const ChoiceRequest& asked) {
  if (asked.collective.root < asked.group->size()) return;
  throw InputError("", "--root",
                   fmt::format("{} is no position in a group of {} ranks", asked.collective.root,
                               asked.group->size()));
}

/// All ways within the request, without their costs.
std::vector<Candidate> ways_of(const ChoiceRequest& asked) {
  check(asked);
  std::vector<Candidate> ways;
  for (const Algorithm& algorithm : collectives::algorithms()) {
    if (!algorithm.supports(asked.collective.kind)) continue;
    if (asked.algorithm != "auto" && asked.algorithm != algorithm.name) continue;
    for (const Protocol protocol : protocols_of(asked)) {
      Candidate& way = ways.emplace_back();
      way.algorithm = algorithm.name;
      way.protocol = protocol;
      way.bytes = asked.collective.bytes;
      way.why_not = reason_against(asked, algorithm, protocol);
    }
  }
  // No such algorithm, or not for this kind: build_schedule says it best.
  if (ways.empty()) (void)built(asked, asked.algorithm, asked.protocol.value_or(Protocol::simple));
  return ways;
}

/// One line per algorithm where all its protocols fail for one reason.
InputError none_can_run(const ChoiceRequest& asked, const std::vector<Candidate>& ways) {
  std::vector<std::string> reasons;
  for (const Candidate& way : ways) {
    std::string reason = fmt::format("{}: {}", way.algorithm, way.why_not);
    if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(std::move(reason));
  }
  std::vector<Diagnostic> problems;
  for (std::string& reason : reasons)
    problems.push_back({"", "--algorithm", std::move(reason), ""});
  if (problems.size() > 1) {
    problems.insert(
        problems.begin(),
        {"", "--algorithm",
         fmt::format("no algorithm can do {} here", to_text(asked.collective.kind)), ""});
  }
  return InputError(std::move(problems));
}

}  // namespace

std::vector<Candidate> candidates(const ChoiceRequest& asked, collectives::Executor& executor) {
  std::vector<Candidate> ways = ways_of(asked);
  cost_all(ways, [&](Candidate& way) { cost(asked, executor, way); });
  mark_fastest(ways);
  return ways;
}

Schedule chosen_schedule(const ChoiceRequest& asked, collectives::Executor& executor) {
  std::vector<Candidate> ways = ways_of(asked);
  const auto is_allowed = [](const Candidate& way) { return way.why_not.empty(); };
  if (std::ranges::count_if(ways, is_allowed) > 1) {
    cost_all(ways, [&](Candidate& way) {
      const auto result = result_of(built(asked, way.algorithm, way.protocol), executor);
      way.time = result.finish - result.start;
    });
  }
  mark_fastest(ways);
  const auto best = std::ranges::find(ways, true, &Candidate::chosen);
  if (best == ways.end()) throw none_can_run(asked, ways);
  return built(asked, best->algorithm, best->protocol);
}

}  // namespace railyard::apps
