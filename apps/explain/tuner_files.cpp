#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "apps/explain/tuner_plan.hpp"
#include "collectives/nccl/tuning/tuning_names.hpp"
#include "core/config/json_value.hpp"

namespace railyard::apps {
namespace {

using core::JsonValue;

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

/// Sizes beyond what a result holds are written as nothing: there is no end.
RowValue last_size(std::uint64_t to) {
  return to == kEnd ? RowValue() : RowValue(static_cast<std::int64_t>(to));
}

constexpr std::array<Column<TunerRange>, 8> kColumns{{
    {"collective", [](const TunerRange& r) -> RowValue { return std::string(to_text(r.kind)); }},
    {"from_bytes",
     [](const TunerRange& r) -> RowValue { return static_cast<std::int64_t>(r.from); }},
    {"to_bytes", [](const TunerRange& r) { return last_size(r.to); }},
    {"algorithm", [](const TunerRange& r) -> RowValue { return r.algorithm; }},
    {"protocol", [](const TunerRange& r) -> RowValue { return std::string(to_text(r.protocol)); }},
    {"channels", [](const TunerRange& r) -> RowValue { return std::int64_t{r.channels}; }},
    {"nccl_choice", [](const TunerRange& r) -> RowValue { return r.nccl_choice; }},
    {"gain_pct",
     [](const TunerRange& r) { return r.nccl_choice.empty() ? RowValue() : RowValue(r.gain_pct); },
     {.decimals = 1}},
}};

/// "allreduce", as NCCL's example tuner reads it.
std::string collective_name(collectives::Kind kind) {
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

RowTable tuner_rows(const TunerPlan& plan) {
  return tabulate(std::span<const Column<TunerRange>>(kColumns),
                  std::span<const TunerRange>(plan.ranges));
}

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

}  // namespace railyard::apps
