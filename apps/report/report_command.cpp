#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <sstream>

#include "apps/cli/commands.hpp"
#include "apps/output/report/page.hpp"
#include "apps/output/result_output.hpp"
#include "apps/sweep/sweep_show.hpp"
#include "core/diagnostic.hpp"
#include "core/sweep/database.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/picture/topology_picture.hpp"

namespace railyard::apps {
namespace {

struct ReportFlags {
  std::vector<std::string> results;
  std::string output = "report.html";
  std::string cluster;
  std::optional<int> nodes;
  std::string title;
};

FabricFigure draw(const topology::Cluster& cluster, const std::vector<RunLoad>& loads,
                  std::vector<std::size_t> runs) {
  topology::picture::PictureOptions options{.standalone = false};
  if (!runs.empty()) {
    options.shades = shades_of(loads[runs.front()]);
    options.cables = loads[runs.front()].cables;
  }
  for (const std::size_t run : runs) options.binding.push_back(loads[run].bound_by);
  const std::string caption = fmt::format("{}: {} nodes, {} GPUs", cluster.spec().name,
                                          cluster.node_count(), cluster.rank_count());
  return {caption, topology::picture::topology_svg(cluster, options), std::move(runs)};
}

/// Draws the requested cluster with all runs; by default each cluster of runs with loads, if its
/// file can still be read.
void add_fabrics(Report& report, const ReportFlags& flags, const Context& context) {
  using Named = std::pair<std::string, std::optional<int>>;
  std::vector<Named> clusters;
  std::vector<std::vector<std::size_t>> runs;
  for (std::size_t i = 0; i < report.loads.size(); ++i) {
    const RunLoad& run = report.loads[i];
    const Named named =
        flags.cluster.empty() ? Named(run.cluster, run.nodes) : Named(flags.cluster, flags.nodes);
    if (named.first.empty()) continue;
    const auto found = std::ranges::find(clusters, named);
    runs.resize(std::max(runs.size(), static_cast<std::size_t>(found - clusters.begin()) + 1));
    runs[static_cast<std::size_t>(found - clusters.begin())].push_back(i);
    if (found == clusters.end()) clusters.push_back(named);
  }
  if (clusters.empty() && !flags.cluster.empty()) {
    clusters.emplace_back(flags.cluster, flags.nodes);
    runs.emplace_back();
  }
  for (std::size_t c = 0; c < clusters.size(); ++c) {
    try {
      const auto spec = topology::read_cluster(clusters[c].first, clusters[c].second);
      report.fabrics.push_back(draw(topology::build_cluster(spec), report.loads, runs[c]));
    } catch (const InputError& error) {
      if (!flags.cluster.empty()) throw;
      print_note(context, fmt::format("fabric {} is not drawn; give its file with --cluster: {}",
                                      clusters[c].first, error.what()));
    }
  }
}

int run_report(const ReportFlags& flags, Context& context) {
  check_output_file("--output", flags.output);
  std::vector<ResultFile> files;
  for (const std::string& path : flags.results) {
    if (!core::sweep::is_database(path)) {
      files.push_back(read_result_file(path));
      continue;
    }
    std::ostringstream json;
    write_sweep_json(path, json);
    files.push_back(parse_result_file(path, json.str()));
  }
  Report report = make_report(std::move(files), flags.title);
  add_fabrics(report, flags, context);
  write_text(report_page(report), flags.output, context);
  return ExitCode::done;
}

}  // namespace

RunCommand add_report(FlagSet app) {
  const auto flags = std::make_shared<ReportFlags>();
  app.add_option("results", flags->results,
                 "Result files, written with --json by other commands, or databases of railyard "
                 "sweep")
      .required()
      .type_name("RESULT.json...");
  app.add_option("-o,--output", flags->output,
                 "HTML file to write; - is standard output [report.html]")
      .type_name("FILE");
  const Flag cluster =
      app.add_option("--cluster", flags->cluster, "Cluster to draw [the cluster of the results]");
  cluster.type_name("FILE");
  app.add_option("--nodes", flags->nodes, "Number of nodes of --cluster [the cluster file's]")
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
