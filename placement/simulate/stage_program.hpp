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

/// A pass of a chunk over a micro-batch: how long it takes by the cost model, its collectives in
/// order, and what they add to it by the cost model.
struct ChunkPass {
  Time elapsed{}, exposed{};
  std::vector<PassCollective> collectives{};
};

/// The collectives over replicas of a chunk's layers in one step (ZeRO 2, 3: in one pass).
struct ChunkBuckets {
  std::vector<PassCollective> gather{}, reduce{}, behind{};  ///< behind: with the last pass
  double share = 1;                                          ///< of the stage's bytes
  int buckets = 1;
};

/// What a pipeline rank of a class does in a step.
struct StageSteps {
  std::vector<PipelineSlot> order{};
  std::map<int, ChunkPass> forward{}, backward{}, weight{};  ///< by chunk
  std::map<int, ChunkBuckets> buckets{};                     ///< by chunk
  std::vector<PassCollective> reduce{}, gather{};            ///< of the stage, behind its passes
  std::vector<PassCollective> tied{};
  Time optimizer{}, host{};
  double compute_share = 0;  ///< what passes lose beside collectives over replicas
};

/// A message between stages.
struct StageMessage {
  PipelineWork work{};  ///< the pass that made it
  int peer = 0;         ///< the other stage
  bool toward_next = false;
  std::uint32_t tag = 0;
};

/// The messages of a stage: what it sends behind a pass, what it receives, in the order in which
/// their senders send, and which of those a pass waits for.
struct StageMessages {
  using Pass = std::tuple<char, int, int>;  ///< kind, chunk, micro-batch
  std::map<Pass, StageMessage> sends{};
  std::vector<StageMessage> receives{};
  std::map<Pass, std::size_t> inputs{};  ///< pass to index into receives
  double bytes = 0;
  double rate_share = 1;
};

/// How a step's collectives become operations.
struct StageSetting {
  const TypeContext& context;
  const Strategy& strategy;
  /// Number of the family of a role.
  std::map<GroupRole, std::uint32_t> families{};
  std::uint32_t everyone = 0;  ///< the family of all ranks
};

/// The name of the computation that updates the weights.
inline constexpr std::string_view kOptimizer = "optimizer";
/// The pass that a computation of such a program belongs to, and the pass whose result a message
/// carries, by the names of the operations; nothing for other operations. `split` is not known.
[[nodiscard]] std::optional<PipelineWork> pass_named(std::string_view computation);
[[nodiscard]] std::optional<PipelineWork> pass_of_message(std::string_view message);

/// Writes the program of a stage.
[[nodiscard]] collectives::Program stage_program(const StageSetting& setting,
                                                 const StageSteps& steps,
                                                 const StageMessages& messages,
                                                 collectives::NameTable& names);

}  // namespace railyard::placement
