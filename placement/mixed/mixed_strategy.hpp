#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Replicas of a model whose pipelines are alike.
struct PipelineClass {
  std::vector<int> types{};  ///< of GPU, by stage
  int replicas = 1;
  int micro_batches = 0;  ///< of each replica in a step,
  int fewer = 0;          ///< and of so many of them one less
  /// All stages are on one type.
  [[nodiscard]] bool is_pure() const;
  bool operator==(const PipelineClass&) const = default;
};

/// A strategy on GPUs of several types. Each tensor, context and expert group lies on one type;
/// stages may be on different types, and so may replicas. Stage i has the same layers in all of
/// them (strategy.layers). strategy.dp is all replicas.
struct MixedStrategy {
  Strategy strategy{};
  std::vector<PipelineClass> classes{};
  [[nodiscard]] int micro_batches() const;
  bool operator==(const MixedStrategy&) const = default;
};

/// Every replica has the same number of micro-batches.
[[nodiscard]] bool has_equal_batches(const MixedStrategy& mixed);

/// "tp=8,pp=4,dp=6,layers=10*2/6*2,stages=A*2/B*2+B*4,replicas=4+2,batches=12+6": by class, joined
/// by '+', the types of the stages, the number of replicas, and micro-batches of each.
[[nodiscard]] std::string to_text(const MixedStrategy& mixed);

/// What is given of a mixed strategy; the rest is to be chosen.
struct MixedFix {
  Strategy strategy{};
  bool has_pp = false, has_dp = false;
  std::vector<std::vector<int>> stages{};  ///< by class
  std::vector<int> replicas{}, batches{};
};

/// Whether a text for --fix has keys of mixed strategies: stages, replicas or batches.
[[nodiscard]] bool is_mixed_text(std::string_view text);

/// Reads such a text for `types` types of GPU. Throws InputError at `where`.
[[nodiscard]] MixedFix parse_mixed(std::string_view text, int types, const std::string& where);

}  // namespace railyard::placement
