#include "apps/validate/validation_rows.hpp"

#include <array>

#include "core/config/enum_names.hpp"

namespace railyard::apps {
namespace {

using collectives::nccl::Bound;
using collectives::nccl::TimeTerms;

/// A row with what stands beside it.
struct Line {
  const JudgedTable* table = nullptr;
  const JudgedRow* row = nullptr;
  double error_pct = 0;

  [[nodiscard]] Time time() const { return Time::from_seconds(row->measured.time_us * 1e-6); }
};

/// What bounds a prediction: the larger of its latency and its bytes.
std::string bound_of(const Line& line) {
  const TimeTerms terms = collective_time(*line.row->machine, line.row->query);
  if (terms.latency() > terms.bytes) return "latency";
  if (terms.bound == Bound::round_trips) return "round trips";
  return terms.bound == Bound::network ? "network" : "gpu links";
}

std::string algorithm_of(const Line& line) {
  if (!collectives::nccl::is_tuned(line.row->query.kind)) return "pairwise";
  return std::string(core::enum_name(line.row->query.algorithm));
}

constexpr std::array<Column<Line>, 15> kColumns{{
    {"table", [](const Line& l) -> RowValue { return l.table->name; }},
    {"cluster", [](const Line& l) -> RowValue { return l.table->cluster; }},
    {"collective",
     [](const Line& l) -> RowValue { return std::string(to_text(l.row->query.kind)); }},
    {"algorithm", [](const Line& l) -> RowValue { return algorithm_of(l); }},
    {"protocol",
     [](const Line& l) -> RowValue { return std::string(to_text(l.row->query.protocol)); }},
    {"type",
     [](const Line& l) -> RowValue {
       return std::string(to_text(l.row->measured.collective.type));
     }},
    {"backend", [](const Line&) -> RowValue { return std::string("measured"); }},
    {"ranks", [](const Line& l) -> RowValue { return std::int64_t{l.row->measured.ranks}; }},
    {"nodes", [](const Line& l) -> RowValue { return std::int64_t{l.row->measured.nodes}; }},
    {"bytes", [](const Line& l) -> RowValue { return l.row->query.bytes; }, {.is_size = true}},
    {"time_us", [](const Line& l) -> RowValue { return l.row->measured.time_us; }},
    {"busbw_GBps",
     [](const Line& l) -> RowValue {
       return busbw_GBps(l.row->measured.collective,
                         static_cast<std::uint32_t>(l.row->measured.ranks), l.time());
     }},
    {"predicted_us",
     [](const Line& l) -> RowValue { return l.row->measured.time_us * (1 + l.error_pct / 100); }},
    {"error_pct", [](const Line& l) -> RowValue { return l.error_pct; }},
    {"bound_by", [](const Line& l) -> RowValue { return bound_of(l); }},
}};

}  // namespace

std::vector<RowError> row_errors(const Judged& judged, const std::vector<double>& instead) {
  std::vector<RowError> errors;
  for (std::size_t i = 0; i < judged.rows.size(); ++i) {
    const JudgedRow& row = judged.rows[i];
    errors.push_back({row.table, row.query.bytes, instead.empty() ? row.error_pct() : instead[i]});
  }
  return errors;
}

RowTable tabulate_validation(const Judged& judged, const std::vector<double>& errors) {
  const auto all = row_errors(judged, errors);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < judged.rows.size(); ++i)
    lines.push_back({&judged.tables[judged.rows[i].table], &judged.rows[i], all[i].error_pct});
  return tabulate(std::span<const Column<Line>>(kColumns), std::span<const Line>(lines));
}

}  // namespace railyard::apps
