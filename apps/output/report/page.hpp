#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/output/report/curves.hpp"
#include "apps/output/report/result_file.hpp"
#include "apps/output/report/run_loads.hpp"

namespace railyard::apps {

/// The drawing of a cluster for the page, and what to call it.
struct FabricFigure {
  std::string caption;  ///< "clos_rail_h100: 64 nodes, 512 GPUs"
  std::string svg;      ///< from topology_svg with standalone = false
};

/// What a report is made of. charts and loads derive from the files (collect_curves,
/// collect_loads).
struct Report {
  std::string title;
  std::vector<ResultFile> files;
  std::vector<CurveChart> charts;
  std::vector<RunLoad> loads;
  std::optional<FabricFigure> fabric;
};

/// Derives charts and loads; an empty title becomes one that names the clusters of the files.
[[nodiscard]] Report make_report(std::vector<ResultFile> files, std::string title = {});

/// The report as one HTML page (well-formed as XML too) that loads nothing from anywhere.
[[nodiscard]] std::string report_page(const Report& report);

}  // namespace railyard::apps
