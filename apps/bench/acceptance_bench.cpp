#include "apps/bench/acceptance_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "apps/bench/bench_output.hpp"
#include "apps/bench/collective_bench.hpp"
#include "apps/output/collective_rows.hpp"
#include "apps/output/range_pct.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/row_values.hpp"
#include "apps/output/table_columns.hpp"
#include "hw/acceptance.hpp"

namespace railyard::apps {
namespace {

using collectives::Kind;
using collectives::Measurement;
using hw::AcceptanceCheck;

constexpr std::array kKinds{Kind::all_reduce, Kind::all_gather, Kind::reduce_scatter,
                            Kind::broadcast, Kind::all_to_all};

constexpr std::array<Column<AcceptanceCheck>, 2> kColumns{{
    {"limit_us", [](const AcceptanceCheck& c) -> RowValue { return microseconds(c.limit); },
     kHundredths},
    {"accepted", [](const AcceptanceCheck& c) -> RowValue { return c.is_accepted; }},
}};

/// --max-error; without it the 80 % range of a fitted prediction, or 20 %.
hw::Tolerance tolerance_of(const BenchFlags& flags, const BenchSetting& setting) {
  return [&flags, &setting](const Measurement& row) {
    if (flags.max_error_pct) return *flags.max_error_pct / 100;
    const auto range = setting.range() ? setting.range()->range_pct(row.bytes) : std::nullopt;
    return range.value_or(kMaxErrorPct) / 100;
  };
}

}  // namespace

int bench_acceptance(const BenchFlags& flags, const BenchRequest& request, hw::LiveBackend& backend,
                     BenchSetting& setting, Provenance provenance, Context& context) {
  const bool is_first = backend.world().process() == 0;
  std::vector<Measurement> rows;
  bool is_stopped = false;
  for (const Kind kind : kKinds) {
    BenchRequest one = request;
    one.collective.kind = kind;
    CollectiveBench bench(flags, one, backend, setting, context);
    is_stopped = bench.measure();
    rows.insert(rows.end(), bench.rows().begin(), bench.rows().end());
    for (const std::string& wrong : bench.wrong()) print_error(context, wrong);
    if (const auto& worst = bench.outliers().worst(); is_first && worst) {
      const std::string note = fmt::format("{}, {}", to_text(kind), outlier_note(*worst));
      print_note(context, note);
      provenance.notes.push_back(note);
    }
    if (is_stopped) break;
  }
  if (!is_first) return ExitCode::done;
  for (const std::string& note : backend.notes()) print_note(context, note);
  const auto checks = hw::check_acceptance(rows, tolerance_of(flags, setting));
  RowTable table = tabulate(bench_columns(), rows);
  add_columns(tabulate(kColumns, checks), table);
  if (const auto& range = setting.range())
    for (const std::string& note : add_machine_range(*range, flags.range, table, provenance))
      print_note(context, note);
  const std::string cluster = setting.cluster().spec().name;
  write_result({.kind = "acceptance",
                .provenance = std::move(provenance),
                // A test that was stopped gives no verdict.
                .answers = is_stopped ? std::vector<std::string>{}
                                      : hw::acceptance_answers(rows, checks, cluster),
                .rows = std::move(table)},
               flags.output, context);
  if (is_stopped) return ExitCode::interrupted;
  const bool is_accepted =
      !rows.empty() && std::ranges::all_of(checks, &AcceptanceCheck::is_accepted);
  return is_accepted ? ExitCode::done : ExitCode::finding;
}

}  // namespace railyard::apps
