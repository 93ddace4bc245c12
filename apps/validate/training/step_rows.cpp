#include "apps/validate/training/step_rows.hpp"

#include <array>
#include <vector>

#include "placement/strategy/strategy.hpp"

namespace railyard::apps {
namespace {

struct Line {
  const TrainingMap* map = nullptr;
  const JudgedStep* step = nullptr;
  [[nodiscard]] const TrainingRun& run() const { return *step->run; }
};

RowValue if_any(double seconds) { return seconds > 0 ? RowValue(seconds) : RowValue(); }

constexpr ColumnStyle kSeconds{.decimals = 4}, kOne{.decimals = 1};

constexpr std::array<Column<Line>, 13> kColumns{{
    {"set", [](const Line& l) -> RowValue { return l.map->sets[l.run().set].name; }},
    {"cluster", [](const Line& l) -> RowValue { return l.run().cluster; }},
    {"model", [](const Line& l) -> RowValue { return l.run().model; }},
    {"sequence", [](const Line& l) -> RowValue { return std::int64_t{l.run().job.sequence}; }},
    {"batch", [](const Line& l) -> RowValue { return std::int64_t{l.run().job.batch}; }},
    {"gpus", [](const Line& l) -> RowValue { return std::int64_t{l.run().gpus}; }},
    {"strategy", [](const Line& l) -> RowValue { return placement::to_text(l.run().strategy); }},
    {"measured_s", [](const Line& l) -> RowValue { return l.run().measured_s; }, kSeconds},
    {"predicted_s", [](const Line& l) -> RowValue { return l.step->predicted_s; }, kSeconds},
    {"error_pct", [](const Line& l) -> RowValue { return l.step->error_pct(); }, kOne},
    {"without_model_s", [](const Line& l) { return if_any(l.step->without_model_s); }, kSeconds},
    {"without_machine_s", [](const Line& l) { return if_any(l.step->without_machine_s); },
     kSeconds},
    {"group", [](const Line& l) -> RowValue { return l.run().group; }},
}};

}  // namespace

RowTable tabulate_steps(const TrainingMap& map, std::span<const JudgedStep> steps) {
  std::vector<Line> lines;
  for (const JudgedStep& step : steps) lines.push_back({&map, &step});
  return tabulate(std::span<const Column<Line>>(kColumns), std::span<const Line>(lines));
}

}  // namespace railyard::apps
