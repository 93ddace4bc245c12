#include "apps/sim/range_column.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/output/range_pct.hpp"
#include "collectives/nccl/timing/range/read_prediction_ranges.hpp"
#include "topology/cluster/read_timings.hpp"

namespace railyard::apps {
namespace {

namespace nccl = collectives::nccl;

}  // namespace

RangeColumn::RangeColumn(const topology::Cluster& cluster, const std::string& file,
                         bool several_nodes)
    : ranges_(nccl::read_prediction_ranges(std::string(nccl::kShippedRanges))) {
  const topology::Timings timings = topology::read_timings(file);
  query_ = {.of = nccl::RangeOf::collective,
            .evidence = nccl::Evidence::measured,
            .several_nodes = several_nodes,
            .bytes = {},
            .generation = timings.generation};
  for (const topology::NodeSpec& node : cluster.spec().node_specs) {
    const nccl::MachineUse use{.meets_over_nvlink = !node.nvlinks.empty(),
                               .several_nodes = several_nodes};
    for (const nccl::MachinePart& part : nccl::machine_parts(node, timings, use)) {
      const auto known = nccl::evidence_for(part, ranges_.measured, nccl::RangeOf::collective);
      query_.evidence = std::max(query_.evidence, known.evidence);
      if (std::ranges::find(parts_, part, &nccl::PartEvidence::part) == parts_.end())
        parts_.push_back(known);
    }
  }
}

std::optional<double> RangeColumn::range_pct(Bytes bytes) const {
  nccl::RangeQuery query = query_;
  query.bytes = bytes;
  return nccl::range_pct(ranges_.classes, query);
}

void RangeColumn::add_to(RowTable& rows) const {
  add_range_pct(rows, "bytes", [&](std::int64_t bytes) { return range_pct(Bytes(bytes)); });
}

std::vector<std::string> RangeColumn::notes() const {
  std::vector<std::string> notes;
  for (const nccl::PartEvidence& known : parts_) {
    if (known.evidence != nccl::Evidence::nominal) continue;
    const bool is_gpu_part =
        known.part.kind == nccl::PartKind::gpu || known.part.kind == nccl::PartKind::nvlink;
    const bool is_newer = is_gpu_part && !known.part.family.starts_with(query_.generation);
    notes.push_back(
        fmt::format("{}: no measured table ran on it or its family, so its times are {}; "
                    "range_pct is the deviation that 80 % of measured times did not exceed on "
                    "machines as unknown as this",
                    nccl::to_text(known),
                    is_newer ? fmt::format("those of {}", query_.generation) : "nominal"));
  }
  return notes;
}

void RangeColumn::add_facts(Provenance& provenance) const {
  for (const nccl::PartEvidence& known : parts_) {
    const std::string text = nccl::to_text(known);
    const std::size_t space = text.find(' ');
    provenance.facts.emplace_back("evidence " + text.substr(0, space), text.substr(space + 1));
  }
}

}  // namespace railyard::apps
