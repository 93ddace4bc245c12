#include "apps/explain/tuner_rows.hpp"

#include <array>
#include <limits>

namespace railyard::apps {
namespace {

using collectives::nccl::TunerRange;

constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max();

/// The upper end of a range; empty for the last range of a collective, which has none.
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

}  // namespace

RowTable tuner_rows(const collectives::nccl::TunerPlan& plan) {
  return tabulate(kColumns, plan.ranges);
}

}  // namespace railyard::apps
