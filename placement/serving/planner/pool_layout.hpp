#pragma once

#include <cstdint>
#include <vector>

namespace railyard::placement::serving {

/// The GPUs of the replicas of two pools, by rank in the cluster, and the bytes that a KV cache
/// sends between them.
struct PoolLayout {
  std::vector<std::vector<std::uint32_t>> prefill{}, decode{};  ///< ranks of each replica
  double token_bytes = 0;  ///< KV cache of a token that each GPU which decodes gets
  double start = 0;        ///< seconds of a transfer beside its bytes
};

/// Replicas of equal size.
struct ReplicaGroup {
  int replicas = 0;
  int gpus = 1;  ///< of a replica
};

/// Places replicas on a cluster of `ranks` GPUs: the larger ones first, prefill before decoding
/// where both are equal; each in the first node that has room, or from the first whole free node on
/// where it is larger than a node. One for which no node has room takes the first free GPUs. Throws
/// std::invalid_argument for more GPUs than the cluster has.
[[nodiscard]] PoolLayout pool_layout(const ReplicaGroup& prefill, const ReplicaGroup& decode,
                                     int gpus_per_node, int ranks);

/// Bytes from one GPU to another per token of a prompt.
struct CachePart {
  std::uint32_t from = 0, to = 0;  ///< ranks
  double token_bytes = 0;
};
/// The parts of a KV cache that goes from a prefill replica to one that decodes: as many as the
/// larger of the two has GPUs, equal shares of each GPU's neighbours in number. Prefill on 2 GPUs
/// and decoding on 4: GPU 0 sends to 0 and 1, GPU 1 to 2 and 3. Prefill on 4 and decoding on 2:
/// GPUs 0 and 1 send half of GPU 0's cache each.
[[nodiscard]] std::vector<CachePart> cache_parts(const PoolLayout& layout, std::size_t from,
                                                 std::size_t to);

}  // namespace railyard::placement::serving
