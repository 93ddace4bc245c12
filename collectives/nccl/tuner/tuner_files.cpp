#include "collectives/nccl/tuner/tuner_files.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>

#include "collectives/nccl/tuning/tuning_names.hpp"
#include "core/config/json_value.hpp"

namespace railyard::collectives::nccl {
namespace {

using core::JsonValue;

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

/// The name that NCCL's example tuner expects: "allreduce".
std::string collective_name(Kind kind) {
  std::string name(to_text(kind));
  std::erase(name, '_');
  return name;
}

JsonValue number(std::int64_t value) { return JsonValue{value}; }

JsonValue json_range(const TunerRange& range) {
  JsonValue entry = JsonValue::object();
  entry.set("collective", JsonValue::text(to_text(range.kind)));
  entry.set("from_bytes", number(static_cast<std::int64_t>(range.from)));
  if (range.to != kEnd) entry.set("to_bytes", number(static_cast<std::int64_t>(range.to)));
  entry.set("algorithm", JsonValue::text(range.algorithm));
  entry.set("protocol", JsonValue::text(to_text(range.protocol)));
  return entry;
}

}  // namespace

std::string tuner_csv(const TunerPlan& plan, const std::string& about) {
  std::string text = fmt::format(
      "# {}\n# for NCCL's example tuner: NCCL_TUNER_PLUGIN=example NCCL_TUNER_CONFIG_FILE=<this>\n"
      "# collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks,ops,registered\n",
      about);
  for (const TunerRange& range : plan.ranges) {
    text += fmt::format("{},{},{},{},{},{},{},{},-1,-1\n", collective_name(range.kind), range.from,
                        range.to, range.algorithm, to_text(range.protocol), range.channels,
                        plan.nodes, plan.ranks);
  }
  return text;
}

std::string tuner_json(const TunerPlan& plan, const std::string& about) {
  JsonValue file = JsonValue::object();
  file.set("kind", JsonValue::text("nccl_tuner"));
  file.set("about", JsonValue::text(about));
  file.set("nodes", number(plan.nodes));
  file.set("ranks", number(plan.ranks));
  JsonValue ranges = JsonValue::list();
  for (const TunerRange& range : plan.ranges) {
    if (!range.nccl_choice.empty()) ranges.push(json_range(range));
  }
  file.set("ranges", std::move(ranges));
  return core::to_text(file) + "\n";
}

}  // namespace railyard::collectives::nccl
