#include "apps/sweep/sweep_show.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <ostream>

#include "apps/cli/flag_value.hpp"
#include "apps/output/result_output.hpp"
#include "apps/output/rows.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "core/sweep/pivot.hpp"
#include "core/sweep/store.hpp"

namespace railyard {

template <>
struct core::EnumNames<core::sweep::Aggregate> {
  using A = core::sweep::Aggregate;
  static constexpr std::array<std::pair<A, std::string_view>, 6> table{{{A::none, "none"},
                                                                        {A::least, "min"},
                                                                        {A::median, "median"},
                                                                        {A::mean, "mean"},
                                                                        {A::most, "max"},
                                                                        {A::count, "count"}}};
};

}  // namespace railyard

namespace railyard::apps {
namespace {

using core::sweep::Condition;
using core::sweep::StoredResults;
using Results = core::sweep::Table;

Results pivoted(StoredResults& results, const SweepShowFlags& flags,
                const std::vector<Condition>& conditions) {
  const auto aggregate =
      flag_value(core::parse_enum<core::sweep::Aggregate>(flags.aggregate), "--aggregate");
  Results table = results.rows_by_field(flags.pivot, conditions, "--pivot");
  return core::sweep::pivot(table, aggregate);
}

RowTable row_table(const Results& table) {
  RowTable rows{.columns = {}, .rows = table.rows};
  for (const core::sweep::Column& column : table.columns)
    rows.columns.push_back({column.name,
                            {.decimals = column.decimals,
                             .is_size = column.is_size,
                             .joins_heading = column.joins_heading}});
  return rows;
}

Provenance provenance_of(const StoredResults& results, const std::string& command) {
  Provenance provenance{.command = command};
  provenance.facts.emplace_back("swept",
                                fmt::format("{}", fmt::join(results.definition().command, " ")));
  return provenance;
}

}  // namespace

void write_sweep_json(const std::string& database, std::ostream& out) {
  StoredResults results(database);
  const Results table = results.rows(results.shown_columns(), {}, "--columns");
  write_json({.kind = "sweep",
              .provenance = provenance_of(results, "railyard sweep"),
              .rows = row_table(table)},
             out);
}

int show_sweep(const SweepShowFlags& flags, Context& context) {
  check_output(flags.output);
  if (flags.aggregate != "none" && flags.pivot.empty())
    throw InputError("", "--aggregate", "applies to --pivot, whose cells it summarises",
                     "give --pivot");
  if (!flags.pivot.empty() && flags.pivot.size() != 3)
    throw InputError("", "--pivot", fmt::format("{} columns are given", flags.pivot.size()),
                     "give three: --pivot ROW COL VALUE, such as nodes routing time_us");
  StoredResults results(flags.database);
  std::vector<Condition> conditions;
  for (const std::string& text : flags.where)
    conditions.push_back(core::sweep::parse_condition(text, "--where"));
  Results table;
  if (flags.failed)
    table = results.failed();
  else if (!flags.pivot.empty())
    table = pivoted(results, flags, conditions);
  else
    table = results.rows(flags.columns.empty() ? results.shown_columns() : flags.columns,
                         conditions, "--columns");
  Provenance provenance = provenance_of(results, context.command);
  if (!flags.pivot.empty()) provenance.facts.emplace_back("pivot", flags.pivot[2]);
  const bool to_standard_output = flags.output.json == "-" || flags.output.csv == "-";
  if (!flags.pivot.empty() && !to_standard_output)
    context.out << fmt::format("# {} by {} and {}{}\n", flags.pivot[2], flags.pivot[0],
                               flags.pivot[1],
                               flags.aggregate == "none" ? "" : ", " + flags.aggregate);
  write_result({.kind = table.kind, .provenance = provenance, .rows = row_table(table)},
               flags.output, context);
  const StoredResults::Counts counts = results.counts();
  if (counts.failed > 0 && !flags.failed)
    print_note(context, fmt::format("{} of {} points failed; --failed lists them", counts.failed,
                                    counts.points));
  if (!table.rows.empty() || flags.failed) return ExitCode::done;
  print_note(context,
             conditions.empty() ? "the database has no rows yet" : "no row matches --where");
  return ExitCode::finding;
}

}  // namespace railyard::apps
