#pragma once

#include <array>
#include <optional>
#include <string>

#include "collectives/nccl/tuning/tuning_names.hpp"

namespace railyard::collectives::nccl {

/// Whether a protocol is enabled. By default NCCL enables LL128 only on hardware with atomic
/// 128-byte stores (where_safe). Selecting LL128 by name enables it everywhere.
enum class ProtocolUse { off, where_safe, on };

/// Environment variables of the tuning; by default none is set.
struct TuningSettings {
  PerKind<PerAlgorithm<bool>> algorithms = everything();
  PerKind<PerProtocol<ProtocolUse>> protocols = all_safe();
  std::string algorithm_text = "NCCL_ALGO";  ///< "NCCL_ALGO=Ring", for reasons
  std::string protocol_text = "NCCL_PROTO";  ///< "NCCL_PROTO=^LL128"
  std::optional<int> threads;                ///< NCCL_NTHREADS, for LL and Simple
  std::optional<int> ll128_threads;          ///< NCCL_LL128_NTHREADS
  /// NCCL_THREAD_THRESHOLDS: bytes per thread for Tree LL, LL128, Simple, then for Ring.
  std::array<std::optional<int>, 6> thread_thresholds{};
  std::optional<float> net_overhead_us;  ///< NCCL_NET_OVERHEAD
  std::optional<bool> pat;               ///< NCCL_PAT_ENABLE; not set: one GPU per node
  bool ll128_over_c2c = true;            ///< NCCL_LL128_C2C

  [[nodiscard]] static constexpr PerKind<PerAlgorithm<bool>> everything() {
    PerKind<PerAlgorithm<bool>> all{};
    for (auto& row : all) row.fill(true);
    return all;
  }
  [[nodiscard]] static constexpr PerKind<PerProtocol<ProtocolUse>> all_safe() {
    PerKind<PerProtocol<ProtocolUse>> all{};
    for (auto& row : all) row = {ProtocolUse::on, ProtocolUse::where_safe, ProtocolUse::on};
    return all;
  }
};

}  // namespace railyard::collectives::nccl
