#include "apps/output/result_output.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <ostream>

#include "core/config/output_file.hpp"
#include "core/diagnostic.hpp"
#include "sim/trace.hpp"

namespace railyard::apps {
namespace {

void write_to(const std::string& file, Context& context,
              const std::function<void(std::ostream&)>& write) {
  if (file == "-")
    write(context.out);
  else
    core::write_file(file, write);
}

}  // namespace

void check_output_file(const std::string& flag, const std::string& file) {
  namespace fs = std::filesystem;
  if (file.empty() || file == "-") return;
  std::error_code unknown;
  const fs::path folder = fs::path(file).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, unknown))
    throw InputError("", flag, "there is no folder " + folder.string(), "make it first");
  if (fs::is_directory(file, unknown))
    throw InputError("", flag, file + " is a folder", "name a file in it");
}

void check_output(const OutputFlags& flags) {
  const int to_standard_output = (flags.json == "-") + (flags.csv == "-") + (flags.trace == "-");
  if (to_standard_output > 1) {
    throw InputError("", "", "only one of --json, --csv and --trace can go to standard output",
                     "write the others to files");
  }
  for (const auto& [flag, file] : {std::pair{"--json", &flags.json}, std::pair{"--csv", &flags.csv},
                                   std::pair{"--trace", &flags.trace}})
    check_output_file(flag, *file);
}

void write_result(const ResultDocument& document, const OutputFlags& flags, Context& context,
                  Table table) {
  if (context.take_result) return context.take_result(document);
  if (!flags.json.empty()) {
    write_to(flags.json, context, [&](std::ostream& out) { write_json(document, out); });
  }
  if (!flags.csv.empty()) {
    write_to(flags.csv, context, [&](std::ostream& out) { write_csv(document.rows, out); });
  }
  if (table == Table::no || flags.json == "-" || flags.csv == "-" || flags.trace == "-") return;
  for (const std::string& answer : document.answers) context.out << answer << '\n';
  if (!document.answers.empty()) context.out << '\n';
  write_table(document.summary ? *document.summary : document.rows, context.out);
  for (const Section& section : document.sections) {
    if (section.table.rows.empty() || !section.is_printed) continue;
    context.out << '\n';
    write_table(section.table, context.out);
  }
}

void write_text(const std::string& text, const std::string& file, Context& context) {
  write_to(file, context, [&](std::ostream& out) { out << text; });
}

void write_trace_file(const collectives::Run& run, const OutputFlags& flags, Context& context) {
  write_timeline(run.timeline, {}, flags, context);
}

void write_timeline(const std::vector<collectives::TimelineEvent>& events,
                    const std::vector<collectives::TimelineArrow>& arrows, const OutputFlags& flags,
                    Context& context) {
  if (flags.trace.empty()) return;
  std::size_t left_out = 0;
  write_to(flags.trace, context,
           [&](std::ostream& out) { left_out = sim::write_trace(out, events, arrows); });
  if (left_out > 0)
    print_note(context, fmt::format("--trace: the {} shortest spans of {} were left out", left_out,
                                    events.size()));
}

}  // namespace railyard::apps
