#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace railyard::placement {

/// Megatron Core's --pipeline-model-parallel-layout: layers of each stage in the order of the
/// network (stage i on pipeline rank i mod pp). "Et*3|(tt|)*2L" is 3, 2, 2, 0.
struct PipelineLayout {
  std::vector<int> layers{};
  int mtp = 0;            ///< layers of multi-token prediction, which Railyard's models do not
                          ///< have
  std::string problem{};  ///< problem of the text; empty: none
};

/// Parses a layout as Megatron Core does (pipeline_parallel_layer_layout.py): E embedding, t a
/// layer, m multi-token prediction, L loss; | between stages; x*n and (..)*n repeat; commas are
/// ignored.
[[nodiscard]] PipelineLayout parse_layout(std::string_view text);

/// A layout with the embedding on the first stage and the loss on the last.
[[nodiscard]] std::string to_layout_text(const std::vector<int>& layers);

}  // namespace railyard::placement
