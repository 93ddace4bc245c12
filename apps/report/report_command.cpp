#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <ostream>

#include "apps/cli/commands.hpp"
#include "apps/output/picture/topology_picture.hpp"
#include "apps/output/report/page.hpp"
#include "apps/output/result_output.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {
namespace {

struct ReportFlags {
  std::vector<std::string> results;
  std::string output = "report.html";
  std::string cluster;
  std::optional<int> nodes;
  std::string title;
};

/// The cluster that all files with a cluster agree on, as their provenance names it; else nothing.
struct NamedCluster {
  std::string reference;
  std::optional<int> nodes;
};

std::optional<NamedCluster> cluster_of(const std::vector<ResultFile>& files) {
  std::optional<NamedCluster> common;
  for (const ResultFile& file : files) {
    NamedCluster named{file.provenance_of("cluster"), {}};
    if (named.reference.empty() || file.links.empty()) continue;
    const std::string text = file.provenance_of("nodes");
    int nodes = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), nodes).ec == std::errc()) {
      named.nodes = nodes;
    }
    if (common && (common->reference != named.reference || common->nodes != named.nodes)) return {};
    common = named;
  }
  return common;
}

FabricFigure draw(const topology::Cluster& cluster, const std::vector<RunLoad>& loads) {
  PictureOptions options{.standalone = false};
  if (!loads.empty()) options.shades = shades_of(loads.front());
  for (const RunLoad& run : loads) options.binding.push_back(run.bound_by);
  const std::string caption = fmt::format("{}: {} nodes, {} GPUs", cluster.spec().name,
                                          cluster.node_count(), cluster.rank_count());
  return {caption, topology_svg(cluster, options)};
}

/// Draws the cluster that was asked for, or the one that the files name where it can still be read.
void add_fabric(Report& report, const ReportFlags& flags, const Context& context) {
  if (!flags.cluster.empty()) {
    const auto spec = topology::read_cluster(flags.cluster, flags.nodes);
    report.fabric = draw(topology::build_cluster(spec), report.loads);
    return;
  }
  const auto named = cluster_of(report.files);
  if (!named) return;
  try {
    const auto spec = topology::read_cluster(named->reference, named->nodes);
    report.fabric = draw(topology::build_cluster(spec), report.loads);
  } catch (const InputError& error) {
    print_note(context, fmt::format("the fabric is not drawn; give its file with --cluster: {}",
                                    error.what()));
  }
}

int run_report(const ReportFlags& flags, Context& context) {
  check_output_file("--output", flags.output);
  std::vector<ResultFile> files;
  for (const std::string& path : flags.results) files.push_back(read_result_file(path));
  Report report = make_report(std::move(files), flags.title);
  add_fabric(report, flags, context);
  write_text(report_page(report), flags.output, context);
  return ExitCode::done;
}

}  // namespace

RunCommand add_report(FlagSet app) {
  const auto flags = std::make_shared<ReportFlags>();
  app.add_option("results", flags->results, "Result files, written with --json by other commands")
      .required()
      .type_name("RESULT.json...");
  app.add_option("-o,--output", flags->output,
                 "HTML file to write; - is standard output [report.html]")
      .type_name("FILE");
  const Flag cluster =
      app.add_option("--cluster", flags->cluster, "Cluster to draw [that of the results]");
  cluster.type_name("FILE");
  app.add_option("--nodes", flags->nodes, "Number of its nodes [the cluster file's]")
      .type_name("N")
      .needs(cluster);
  app.add_option("--title", flags->title, "Heading of the page").type_name("TEXT");
  app.footer(
      "Writes one HTML file that loads nothing from the network, so that it can be mailed and "
      "archived.\n\n"
      "Example:\n"
      "  railyard sim --cluster clos_rail_h100 --nodes 64 --json sim.json\n"
      "  railyard report sim.json -o report.html");
  return [flags](Context& context) { return run_report(*flags, context); };
}

}  // namespace railyard::apps
