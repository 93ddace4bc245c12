#pragma once

#include <functional>
#include <vector>

#include "placement/search/shortlist.hpp"

namespace railyard::placement {

/// The outermost loops of a search: tensor and context width, micro-batch, and all settings that
/// change the time of a layer but not the pipeline.
struct WidthLoop {
  std::vector<int> tensor{};                          ///< tensor widths, in order
  std::function<std::vector<int>(int tp)> context{};  ///< context widths for a tensor width
  /// whether the GPUs can be divided into such groups
  std::function<bool(int tp, int cp)> has_pipelines{};
  /// the inner loops, called for each combination
  std::function<void(const Strategy& widths)> search{};
};

/// Calls WidthLoop::search for every combination of widths, micro-batch, sequence parallelism,
/// context parallelism, recomputation and overlap of tensor and expert collectives that the job and
/// the space allow, until the shortlist is stopped.
void run_width_loop(const CostContext& context, const SearchSpace& space, Shortlist& shortlist,
                    const WidthLoop& loop);

}  // namespace railyard::placement
