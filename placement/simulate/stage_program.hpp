#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "collectives/workload/program_builder.hpp"
#include "placement/cost/pipeline_orders.hpp"
#include "placement/simulate/step_collectives.hpp"

namespace railyard::placement {

/// A pass of a chunk over one micro-batch: its duration by the cost model, its collectives in
/// order, and the exposed time of these collectives within the duration.
struct ChunkPass {
  Time elapsed{}, exposed{};
  std::vector<PassCollective> collectives{};
};

/// The collectives over replicas for a chunk's layers in one step (ZeRO 2 and 3: in one pass).
struct ChunkBuckets {
  std::vector<PassCollective> gather{}, reduce{}, behind{};  ///< behind: after the last pass
  /// the chunk's fraction of the stage's bytes
  double share = 1;
  int buckets = 1;
};

/// Inputs of a stage's program: what a pipeline rank of a class does in a step.
struct StageSteps {
  std::vector<PipelineSlot> order{};
  std::map<int, ChunkPass> forward{}, backward{}, weight{};  ///< by chunk
  std::map<int, ChunkBuckets> buckets{};                     ///< by chunk
  /// of the whole stage, after its passes
  std::vector<PassCollective> reduce{}, gather{};
  std::vector<PassCollective> tied{};
  Time optimizer{}, host{};
  double compute_share = 0;  ///< fraction of its speed that a pass loses during collectives over
                             ///< replicas
};

/// A message between stages.
struct StageMessage {
  PipelineWork work{};  ///< the pass whose result it carries
  int peer = 0;         ///< the other stage
  bool toward_next = false;
  std::uint32_t tag = 0;
};

/// The messages of a stage: those that it sends after a pass; those that it receives, in the order
/// of their senders; and the one that each pass waits for.
struct StageMessages {
  using Pass = std::tuple<char, int, int>;  ///< kind, chunk, micro-batch
  std::map<Pass, StageMessage> sends{};
  std::vector<StageMessage> receives{};
  std::map<Pass, std::size_t> inputs{};  ///< pass to index into `receives`
  double bytes = 0;
  double rate_share = 1;
};

/// Context of the programs of all stages.
struct StageSetting {
  const TypeContext& context;
  const Strategy& strategy;
  /// Index of a role's groups among the workload's families.
  std::map<GroupRole, std::uint32_t> families{};
  std::uint32_t everyone = 0;  ///< index of the family of all ranks
};

/// Name of the computation that updates the weights.
inline constexpr std::string_view kOptimizer = "optimizer";
/// The pass of a computation, or the pass whose result a message carries, parsed from the name of
/// the operation; nothing for other operations. `split` is not set.
[[nodiscard]] std::optional<PipelineWork> pass_named(std::string_view computation);
[[nodiscard]] std::optional<PipelineWork> pass_of_message(std::string_view message);

/// Builds the program of a stage.
[[nodiscard]] collectives::Program stage_program(const StageSetting& setting,
                                                 const StageSteps& steps,
                                                 const StageMessages& messages,
                                                 collectives::NameTable& names);

}  // namespace railyard::placement
