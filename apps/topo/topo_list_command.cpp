#include <fmt/format.h>

#include <array>
#include <memory>

#include "apps/output/result_output.hpp"
#include "apps/topo/topo_commands.hpp"
#include "core/config/config_path.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

struct ListFlags {
  std::string kind, format;
  OutputFlags output;
};

/// A kind of config with names, and the flag that accepts them.
struct ConfigRow {
  std::string_view kind, flag;
  std::string name;
};

struct ListedKind {
  std::string_view folder;  ///< below configs/
  std::string_view flag;
};

constexpr std::array<ListedKind, 11> kKinds{
    {{"clusters", "--cluster, --candidates"},
     {"nodes", "\"node\" of a cluster file"},
     {"gpus", "\"gpu\" of a node file"},
     {"switches", "\"switch_model\" of a cluster's fabric; topo check, plan fabric --switch"},
     {"jobs", "place --job, plan train --job"},
     {"models", "--model, \"model\" of a job file"},
     {"failures", "plan train --failures"},
     {"prices", "plan fabric --prices"},
     {"suites", "regress"},
     {"launch_modes", "--harness"},
     {"packet", "sim --packet-config"}}};

constexpr std::array<Column<ConfigRow>, 3> kColumns{{
    {"kind", [](const ConfigRow& r) -> RowValue { return std::string(r.kind); }},
    {"name", [](const ConfigRow& r) -> RowValue { return r.name; }},
    {"used_by", [](const ConfigRow& r) -> RowValue { return std::string(r.flag); }},
}};

/// The destination of the result: --output json is the same as --json -.
OutputFlags output_of(const ListFlags& flags) {
  OutputFlags output = flags.output;
  if (flags.format == "json") output.json = "-";
  if (flags.format == "csv") output.csv = "-";
  check_output(output);
  return output;
}

int run_list(const ListFlags& flags, Context& context) {
  const OutputFlags output = output_of(flags);
  std::vector<std::string_view> kinds;
  std::vector<ConfigRow> rows;
  bool is_known = flags.kind.empty();
  for (const ListedKind& kind : kKinds) {
    kinds.push_back(kind.folder);
    is_known = is_known || flags.kind == kind.folder;
    if (!flags.kind.empty() && flags.kind != kind.folder) continue;
    for (std::string& name : core::config_names(kind.folder))
      rows.push_back({kind.folder, kind.flag, std::move(name)});
  }
  if (!is_known) throw InputError("", "KIND", core::unknown_name(flags.kind, kinds));
  write_result({.kind = "list",
                .provenance = {.command = context.command},
                .rows = tabulate(kColumns, rows)},
               output, context);
  return ExitCode::done;
}

}  // namespace

RunCommand add_topo_list(FlagSet app) {
  const auto flags = std::make_shared<ListFlags>();
  app.add_option("kind", flags->kind,
                 "Kind of config: clusters, nodes, gpus, switches, jobs, models, failures, "
                 "prices, suites, launch_modes or packet [all]")
      .type_name("KIND");
  add_output_flags(app, flags->output);
  const Flag format = app.add_option("-o,--output", flags->format,
                                     "Format on standard output: table, json or csv [table]");
  format.type_name("FORMAT").check(one_of({"table", "json", "csv"}));
  format.excludes(app.option("--json")).excludes(app.option("--csv"));
  app.footer(
      "Lists the shipped configs, and those in the folders of RAILYARD_CONFIGS. Flags and config "
      "files accept\nthese names in place of a file.\n"
      "\n"
      "Examples:\n"
      "  railyard topo list clusters\n"
      "  railyard topo list -o json");
  return [flags](Context& context) { return run_list(*flags, context); };
}

}  // namespace railyard::apps
