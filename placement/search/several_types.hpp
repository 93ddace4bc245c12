#pragma once

#include <vector>

#include "placement/search/shortlist.hpp"

namespace railyard::placement {

/// Searches the strategies of a cluster with several types of GPU, over the pipelines of
/// pipelines_of. GPUs may be left over.
void search_several_types(const CostContext& context, const SearchSpace& space,
                          Shortlist& shortlist);

// What the search shares with the evaluation of a given strategy (fixed_strategy.hpp):

/// Numbers of usable GPUs of each type.
[[nodiscard]] std::vector<int> usable_gpus(const CostContext& context);

/// Groups of tp x cp GPUs that gpus[t] GPUs of each type hold; 0 where a type's nodes do not divide
/// into tensor groups.
[[nodiscard]] std::vector<int> groups_by_type(const CostContext& context, int tp, int cp,
                                              const std::vector<int>& gpus);

/// Whether every replica gets a micro-batch and every stage a layer, and expert groups stay within
/// a class of replicas.
[[nodiscard]] bool divides_job(const Job& job, const Strategy& strategy,
                               const Pipelines& pipelines);

/// Problems of the widths of a strategy (tp, cp, ep, micro-batch) that hold for every pipeline.
[[nodiscard]] std::vector<Diagnostic> width_problems(const Job& job, const Strategy& strategy);

}  // namespace railyard::placement
