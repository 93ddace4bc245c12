#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/output/report/curves.hpp"
#include "apps/output/report/result_file.hpp"
#include "topology/picture/topology_picture.hpp"

namespace railyard::apps {

/// The link loads of a run: that with the largest size of a curve.
struct RunLoad {
  std::string label;  ///< "All-reduce 1G, ring · rail routing"
  std::string bound_by;
  double time_us = 0;
  double busbw_GBps = 0;
  std::vector<TierLoad> tiers;  ///< whole tiers and pods, in file order
  std::vector<topology::picture::CableShade>
      cables;                ///< loads of the cables that a drawing shows; empty in older files
  std::string cluster;       ///< the cluster in the provenance of the file
  std::optional<int> nodes;  ///< nodes of that cluster, if the provenance contains them
};

/// One entry per curve whose largest row has link loads.
[[nodiscard]] std::vector<RunLoad> collect_loads(std::span<const CurveChart> charts,
                                                 std::span<const ResultFile> files);

/// "leaf-spine up": the name of a column for a tier and its direction.
[[nodiscard]] std::string tier_label(const TierLoad& load);

/// The shades of a picture's links for a run: the busier direction of each tier.
[[nodiscard]] std::vector<topology::picture::TierShade> shades_of(const RunLoad& run);

/// A table with a row per run and a column per tier: the busiest link's utilisation (and the mean),
/// shaded by load.
[[nodiscard]] std::string load_table(std::span<const RunLoad> runs);

/// The runs as JSON for the page's script, safe inside a <script> element.
[[nodiscard]] std::string loads_json(std::span<const RunLoad> runs);

}  // namespace railyard::apps
