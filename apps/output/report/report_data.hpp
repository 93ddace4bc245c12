#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/output/report/curves.hpp"
#include "apps/output/report/result_file.hpp"
#include "apps/output/report/run_loads.hpp"

namespace railyard::apps {

/// The drawing of a cluster for the page, and its caption.
struct FabricFigure {
  std::string caption;            ///< "clos_rail_h100: 64 nodes, 512 GPUs"
  std::string svg;                ///< from topology_svg with standalone = false
  std::vector<std::size_t> runs;  ///< indices into Report::loads of the runs that it can show
};

/// The contents of a report. charts and loads derive from the files (collect_curves,
/// collect_loads).
struct Report {
  std::string title;
  std::vector<ResultFile> files;
  std::vector<CurveChart> charts;
  std::vector<RunLoad> loads;
  std::vector<FabricFigure> fabrics;
};

}  // namespace railyard::apps
