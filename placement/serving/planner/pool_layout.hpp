#pragma once

#include <cstdint>
#include <vector>

namespace railyard::placement::serving {

/// The GPUs of the replicas of two pools, as ranks of the cluster, and the size of KV caches sent
/// between them.
struct PoolLayout {
  std::vector<std::vector<std::uint32_t>> prefill{}, decode{};  ///< ranks of each replica
  double token_bytes = 0;  ///< bytes of KV cache per token that each decode GPU receives
  double start = 0;        ///< seconds of a transfer without its bytes
};

/// Replicas of equal size.
struct ReplicaGroup {
  int replicas = 0;
  int gpus = 1;  ///< GPUs of one replica
};

/// Places replicas on a cluster of `ranks` GPUs. Larger replicas come first; prefill comes first if
/// both are equal. A replica uses the first node with enough free GPUs; one that is larger than a
/// node uses whole free nodes. If no node has room, it uses the first free GPUs. Throws
/// std::invalid_argument if the replicas need more GPUs than the cluster has.
[[nodiscard]] PoolLayout pool_layout(const ReplicaGroup& prefill, const ReplicaGroup& decode,
                                     int gpus_per_node, int ranks);

/// Bytes that one GPU sends to another per token of a prompt.
struct CachePart {
  std::uint32_t from = 0, to = 0;  ///< ranks
  double token_bytes = 0;
};
/// The parts of a KV cache sent from a prefill replica to a decode replica: one part per GPU of the
/// larger replica. Prefill on 2 GPUs and decode on 4: GPU 0 sends to GPUs 0 and 1, GPU 1 to 2 and
/// 3. Prefill on 4 and decode on 2: prefill GPUs 0 and 1 each send half of the cache of decode GPU
/// 0.
[[nodiscard]] std::vector<CachePart> cache_parts(const PoolLayout& layout, std::size_t from,
                                                 std::size_t to);

}  // namespace railyard::placement::serving
