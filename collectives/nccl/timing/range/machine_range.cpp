#include "collectives/nccl/timing/range/machine_range.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collectives/nccl/timing/range/read_prediction_ranges.hpp"
#include "core/config/enum_names.hpp"

namespace railyard::collectives::nccl {

MachineRange::MachineRange(const topology::Cluster& cluster, const topology::Timings& timings,
                           bool several_nodes)
    : ranges_(read_prediction_ranges(std::string(kShippedRanges))),
      query_{.of = RangeOf::collective,
             .evidence = Evidence::measured,
             .several_nodes = several_nodes,
             .bytes = {},
             .generation = timings.generation} {
  for (const topology::NodeSpec& node : cluster.spec().node_specs) {
    const MachineUse use{.meets_over_nvlink = !node.nvlinks.empty(),
                         .several_nodes = several_nodes};
    for (const MachinePart& part : machine_parts(node, timings, use)) {
      const PartEvidence known = evidence_for(part, ranges_.measured, RangeOf::collective);
      query_.evidence = std::max(query_.evidence, known.evidence);
      if (std::ranges::find(parts_, part, &PartEvidence::part) == parts_.end())
        parts_.push_back(known);
    }
  }
}

std::optional<double> MachineRange::range_pct(Bytes bytes) const {
  RangeQuery query = query_;
  query.bytes = bytes;
  return nccl::range_pct(ranges_.classes, query);
}

std::vector<std::string> MachineRange::notes() const {
  std::vector<std::string> notes;
  for (const PartEvidence& known : parts_) {
    if (known.evidence != Evidence::nominal) continue;
    const bool is_gpu_part =
        known.part.kind == PartKind::gpu || known.part.kind == PartKind::nvlink;
    const bool is_newer = is_gpu_part && !known.part.family.starts_with(query_.generation);
    notes.push_back(fmt::format(
        "no measured table contains {} {} or its family, so its times are {}; on equally unknown "
        "machines 80 % of measured times deviate by at most range_pct",
        core::enum_name(known.part.kind), known.part.name,
        is_newer ? fmt::format("those of {}", query_.generation) : "nominal"));
  }
  return notes;
}

}  // namespace railyard::collectives::nccl
