#pragma once

#include "core/units.hpp"
#include "placement/cost/cost_context.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Where checkpoints go. storage: a file system; training stops while it is written.
/// asynchronous: training stops while GPUs copy to their hosts; the file system gets it meanwhile.
/// peers: as asynchronous, to the memory of other nodes (Wang et al., Gemini, SOSP 2023).
enum class CheckpointKind { storage, asynchronous, peers };

/// Bandwidths of checkpoints.
struct CheckpointStore {
  CheckpointKind kind = CheckpointKind::asynchronous;
  double write = 0, read = 0;  ///< of the file system, bytes per second and node of the job
};

/// Size of a checkpoint and what it takes, in seconds.
struct CheckpointCost {
  double bytes = 0;
  double stall = 0;  ///< training stops
  double write = 0;  ///< in the background, until it can be restored
  double load = 0;   ///< at a restart
};

/// Weights and optimizer state: 2 + 12 bytes per parameter (4 + 8 with fp32 training, 4 less with
/// moments in bf16), 2 or 4 of those that are not trained. Without ZeRO only one replica writes (tp
/// · pp · cp GPUs), with it all GPUs do; a node writes at most its NICs' rate. Copies to the host
/// run at the GPU's host bandwidth. With peers a restart loads each node's part over its NICs.
/// Throws InputError for an asynchronous checkpoint where the GPU's config has no host bandwidth.
[[nodiscard]] CheckpointCost checkpoint_cost(const TypeContext& context, const Strategy& strategy,
                                             Bandwidth node_nics, const CheckpointStore& store);

/// Bytes of a checkpoint of the job's model.
[[nodiscard]] double checkpoint_bytes(const Job& job);

}  // namespace railyard::placement
