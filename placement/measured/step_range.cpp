#include "apps/place/step_range.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/output/range_pct.hpp"
#include "collectives/nccl/timing/range/prediction_ranges.hpp"
#include "collectives/nccl/timing/range/read_prediction_ranges.hpp"
#include "placement/measured/step_residuals.hpp"

namespace railyard::apps {
namespace {

namespace nccl = collectives::nccl;

/// Adds the range of each row by its number of GPUs.
void add_to(RowTable& rows, const nccl::PredictionRanges& ranges, nccl::RangeQuery query,
            int gpus_per_node) {
  add_range_pct(rows, "gpus", [&](std::int64_t gpus) {
    query.several_nodes = gpus > gpus_per_node;
    return nccl::range_pct(ranges.classes, query);
  });
}

}  // namespace

std::vector<std::string> add_step_range(const placement::PlaceProblem& problem, bool requested,
                                        ResultDocument& document) {
  const nccl::PredictionRanges ranges =
      nccl::read_prediction_ranges(std::string(nccl::kShippedRanges));
  const auto& nodes = problem.cluster.spec().node_specs;
  nccl::RangeQuery query{.of = nccl::RangeOf::step,
                         .evidence = nccl::Evidence::measured,
                         .several_nodes = false,
                         .bytes = {},
                         .generation = {}};
  std::vector<std::string> notes;
  for (const topology::NodeSpec& node : nodes) {
    const nccl::MachinePart part = placement::step_part(node.gpu);
    const auto known = nccl::evidence_for(part, ranges.measured, nccl::RangeOf::step);
    if (query.generation.empty() || known.evidence > query.evidence) query.generation = part.family;
    query.evidence = std::max(query.evidence, known.evidence);
    const std::string text = fmt::format(
        "{}: no measured step ran on its generation, so iteration_s is nominal; range_pct is the "
        "deviation that 80 % of measured steps did not exceed on such GPUs",
        nccl::to_text(known));
    if (known.evidence == nccl::Evidence::nominal && std::ranges::find(notes, text) == notes.end())
      notes.push_back(text);
  }
  if (!requested && notes.empty()) return notes;
  const int gpus_per_node = nodes.front().gpu_count();
  add_to(document.rows, ranges, query, gpus_per_node);
  if (document.summary) add_to(*document.summary, ranges, query, gpus_per_node);
  document.provenance.notes.insert(document.provenance.notes.end(), notes.begin(), notes.end());
  return notes;
}

}  // namespace railyard::apps
