#include "apps/nccl/nccl_ways.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "apps/cli/schedule_request.hpp"
#include "apps/nccl/modelled_ways.hpp"
#include "apps/output/binding_link.hpp"
#include "collectives/nccl/tuning/tuning_choice.hpp"

namespace railyard::apps {
namespace {

using namespace collectives::nccl;
using collectives::Protocol;

/// NCCL's float to six decimals, beyond what it prints: 15.02 and not 15.020000457763672.
double rounded(float value) { return std::round(static_cast<double>(value) * 1e6) / 1e6; }

TuningQuery query_of(const ChoiceRequest& asked) {
  return {.kind = asked.collective.kind,
          .bytes = asked.collective.bytes.count(),
          .type = asked.collective.type,
          .op = asked.collective.op};
}

std::string reason_against(const TuningModel& model, const ChoiceRequest& asked,
                           TuningAlgorithm algorithm, Protocol protocol) {
  const TuningEntry& entry = model.entry(asked.collective.kind, algorithm, protocol);
  if (!entry.why_not.empty()) return entry.why_not;
  return std::string(why_not_reduced(query_of(asked), algorithm));
}

std::string bound_of(const Chooser& chooser, const ChoiceRequest& asked, const TuningEntry& entry,
                     const Candidate& way) {
  if (way.latency_us >= way.time_us / 2) return "latency";
  switch (entry.limit) {
    case Limit::protocol:
      return fmt::format("NCCL's limit of {} {}", way.algorithm, to_text(way.protocol));
    case Limit::intra:
      return name_of(chooser.cluster(), slowest_link_inside(chooser.cluster(), *asked.group));
    case Limit::inter:
      return name_of(chooser.cluster(), slowest_link_out(chooser.cluster(), *asked.group));
  }
  return {};
}

Candidate way_of(const Chooser& chooser, const TuningModel& model, const ChoiceRequest& asked,
                 TuningAlgorithm algorithm, Protocol protocol) {
  Candidate way;
  way.algorithm = core::enum_name(algorithm);
  way.protocol = protocol;
  way.bytes = asked.collective.bytes;
  way.why_not = reason_against(model, asked, algorithm, protocol);
  const TuningEntry& entry = model.entry(asked.collective.kind, algorithm, protocol);
  if (!way.why_not.empty()) {
    // Entries that NCCL has and does not take.
    if (entry.why_not.empty() || !(entry.bandwidth > 0)) return way;
    way.latency_us = rounded(entry.latency);
    way.bandwidth_GBps = rounded(entry.bandwidth);
    return way;
  }
  way.no_schedule =
      why_not_built(chooser, asked, *collectives::find_algorithm(way.algorithm), protocol);
  const TuningQuery query = query_of(asked);
  way.channels =
      asked.channels.value_or(launch_size(model, query.bytes, algorithm, protocol).channels);
  way.latency_us = rounded(entry.latency);
  way.bandwidth_GBps = rounded(entry.bandwidth);
  way.time_us = rounded(estimated_time(model, query, algorithm, protocol));
  way.bound_by = bound_of(chooser, asked, entry, way);
  return way;
}

int schedule_channels(const Candidate& way, int own) {
  if (way.algorithm == "ring" || way.algorithm == "tree" || way.algorithm == "pat")
    return std::max(1, way.channels);
  return std::max(1, way.channels / std::max(1, own)) * own;
}

}  // namespace

std::vector<Candidate> nccl_ways(Chooser& chooser, const ChoiceRequest& asked) {
  const TuningModel& model = chooser.model(*asked.group, asked.protocol);
  std::vector<Candidate> ways;
  for (const TuningAlgorithm algorithm : kAllTuningAlgorithms) {
    if (asked.algorithm != "auto" && asked.algorithm != core::enum_name(algorithm)) continue;
    for (const Protocol protocol : kAllProtocols) {
      if (asked.protocol && *asked.protocol != protocol) continue;
      ways.push_back(way_of(chooser, model, asked, algorithm, protocol));
    }
  }
  mark_fastest(ways);
  return ways;
}

collectives::Schedule nccl_schedule(const Chooser& chooser, const ChoiceRequest& asked,
                                    const Candidate& way) {
  collectives::Schedule own =
      build_schedule(way.algorithm, schedule_request(chooser, asked, way.protocol, asked.channels));
  const int count = static_cast<int>(own.channels().size());
  const int channels = schedule_channels(way, count);
  if (asked.channels || channels == count) return own;
  return built_way(chooser, asked, way.algorithm, way.protocol, channels);
}

}  // namespace railyard::apps
