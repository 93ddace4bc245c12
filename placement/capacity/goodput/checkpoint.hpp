#pragma once

#include "core/units.hpp"
#include "placement/cost/cost_context.hpp"
#include "placement/strategy/strategy.hpp"

namespace railyard::placement {

/// Destination of checkpoints. storage: a file system; training stops while it is written.
/// asynchronous: training stops only while GPUs copy to their hosts; hosts write to the file system
/// afterwards. peers: as asynchronous, but to the memory of other nodes (Wang et al., Gemini, SOSP
/// 2023).
enum class CheckpointKind { storage, asynchronous, peers };

/// Bandwidths of checkpoints.
struct CheckpointStore {
  CheckpointKind kind = CheckpointKind::asynchronous;
  double write = 0, read = 0;  ///< file system, bytes per second and node of the job
};

/// Size of a checkpoint in bytes, and its times in seconds.
struct CheckpointCost {
  double bytes = 0;
  double stall = 0;  ///< time in which training stops
  double write = 0;  ///< time in the background until it can be restored
  double load = 0;   ///< time to load it at a restart
};

/// Cost of one checkpoint: weights and optimizer state, 2 + 12 bytes per parameter (4 + 8 with fp32
/// training; 4 less with bf16 moments), 2 or 4 per frozen parameter. Without ZeRO one replica
/// writes it (tp · pp · cp GPUs), with ZeRO all GPUs; a node writes at most at its NICs' rate.
/// Copies to the host have the GPU's host bandwidth. With peers a restart loads each node's part
/// over its NICs. Throws InputError for an asynchronous checkpoint if the GPU's config has no
/// host_bandwidth.
[[nodiscard]] CheckpointCost checkpoint_cost(const TypeContext& context, const Strategy& strategy,
                                             Bandwidth node_nics, const CheckpointStore& store);

/// Bytes of a checkpoint of the job's model.
[[nodiscard]] double checkpoint_bytes(const Job& job);

}  // namespace railyard::placement
