#include "apps/place/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "apps/output/output_folder.hpp"
#include "apps/output/result_output.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "placement/launch/launch_formats.hpp"

namespace railyard::apps {
namespace {

using placement::LaunchFormat;
using placement::LaunchSource;

std::vector<std::string> host_names(const Launch& launch) {
  const std::size_t nodes = launch.problem.cluster.node_count();
  const std::string& file = launch.request.hosts;
  if (!file.empty()) return placement::read_host_names(core::read_text_file(file), nodes, file);
  std::vector<std::string> names;
  for (std::size_t n = 0; n < nodes; ++n) names.push_back(fmt::format("node{}", n));
  return names;
}

void print_notes(const LaunchFormat& format, const LaunchSource& source, Context& context) {
  if (format.notes == nullptr) return;
  for (const std::string& note : format.notes(source))
    print_note(context, fmt::format("{}: {}", format.file, note));
}

void write_folder(const LaunchSource& source, const std::string& name, Context& context) {
  OutputFolder folder("--emit", name, "or one of the formats (railyard place --help)");
  for (const LaunchFormat& format : placement::launch_formats()) {
    std::string text;
    try {
      text = format.write(source);
    } catch (const InputError& error) {
      if (!format.optional)
        print_note(context, fmt::format("{} is not written: {}", format.file,
                                        to_text(error.diagnostics().front())));
      continue;
    }
    folder.write(format.file, text, context);
    print_notes(format, source, context);
  }
  folder.print_files(context);
}

}  // namespace

bool prints_launch_file(const LaunchRequest& request) {
  return std::ranges::any_of(request.targets, [](const std::string& target) {
    return placement::find_launch_format(target) != nullptr;
  });
}

void emit(const Launch& launch, Context& context) {
  if (launch.request.targets.empty()) return;
  const std::vector<std::string> names = host_names(launch);
  const LaunchSource source{.cluster = launch.problem.cluster,
                            .job = launch.problem.job,
                            .strategy = launch.strategy,
                            .mapping = launch.mapping,
                            .types = launch.problem.types,
                            .nodes = names,
                            .name = std::filesystem::path(launch.request.job).stem().string(),
                            .command = launch.request.command,
                            .cores_per_host = launch.request.cores};
  for (const std::string& asked : launch.request.targets) {
    if (const LaunchFormat* format = placement::find_launch_format(asked)) {
      context.out << format->write(source);
      print_notes(*format, source, context);
    } else {
      write_folder(source, asked, context);
    }
  }
}

void write_beside_launch(const ResultDocument& document, const OutputFlags& output,
                         const LaunchRequest& launch, Context& context) {
  const bool prints = prints_launch_file(launch);
  if (!prints || !output.json.empty() || !output.csv.empty())
    write_result(document, output, context, prints ? Table::no : Table::yes);
}

}  // namespace railyard::apps
