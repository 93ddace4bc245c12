#include "placement/measured/step_range.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/nccl/timing/range/read_prediction_ranges.hpp"
#include "placement/measured/step_residuals.hpp"

namespace railyard::placement {

namespace nccl = collectives::nccl;

StepRange::StepRange(const topology::Cluster& cluster)
    : ranges_(nccl::read_prediction_ranges(std::string(nccl::kShippedRanges))),
      query_{.of = nccl::RangeOf::step,
             .evidence = nccl::Evidence::measured,
             .several_nodes = false,
             .bytes = {},
             .generation = {}},
      gpus_per_node_(cluster.spec().node_specs.front().gpu_count()) {
  for (const topology::NodeSpec& node : cluster.spec().node_specs) {
    const nccl::MachinePart part = step_part(node.gpu);
    const nccl::PartEvidence known =
        nccl::evidence_for(part, ranges_.measured, nccl::RangeOf::step);
    if (query_.generation.empty() || known.evidence > query_.evidence)
      query_.generation = part.family;
    query_.evidence = std::max(query_.evidence, known.evidence);
    std::string text = fmt::format(
        "no measured step ran on the generation of {}, so iteration_s is nominal; on such GPUs 80 "
        "% "
        "of measured steps deviate by at most range_pct",
        known.part.name);
    if (known.evidence == nccl::Evidence::nominal &&
        std::ranges::find(notes_, text) == notes_.end())
      notes_.push_back(std::move(text));
  }
}

std::optional<double> StepRange::range_pct(int gpus) const {
  nccl::RangeQuery query = query_;
  query.several_nodes = gpus > gpus_per_node_;
  return nccl::range_pct(ranges_.classes, query);
}

}  // namespace railyard::placement
