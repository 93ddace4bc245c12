#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectives/nccl/timing/p2p_plan.hpp"
#include "collectives/nccl/tuning/environment.hpp"
#include "collectives/nccl/tuning/tuning_settings.hpp"

namespace railyard::collectives::nccl {

/// The NCCL version and the modelled environment variables (docs/COMMANDS.md), grouped by the part
/// of the model that they affect.
struct NcclEnvironment {
  SearchEnvironment search;      ///< version, graph search
  std::string release_note{};    ///< set if another release represents the requested one
  TuningSettings tuning;         ///< choice of algorithm and protocol
  P2pSettings p2p;               ///< sends and receives
  std::optional<int> cross_nic;  ///< NCCL_CROSS_NIC, if set
  std::optional<int> qps;        ///< NCCL_IB_QPS_PER_CONNECTION, if set
  bool registered = false;       ///< all ranks registered their buffers as symmetric windows
  bool zero_ctas = false;        ///< NCCL_CTA_POLICY=2: copy engines move registered buffers
  bool port_failover = false;    ///< NCCL_IB_RESILIENCY_PORT_FAILOVER (2.29.7 and later)
};

/// The reason why NCCL aborts when a NIC fails during a collective; "" if it continues.
/// `has_partner`: the GPU of the NIC also uses other NICs.
[[nodiscard]] std::string why_stopped_by_nic(const NcclEnvironment& environment, bool has_partner);

/// The reason why the environment excludes an algorithm for sends and receives; "" if it does not.
[[nodiscard]] std::string why_not(const NcclEnvironment& environment, std::string_view algorithm);

/// The number of channels after NCCL_MIN_NCHANNELS, MAX_NCHANNELS, MIN_CTAS and MAX_CTAS; nothing
/// if they do not change `own`, the number of the algorithm.
[[nodiscard]] std::optional<int> clamped_channels(const NcclEnvironment& environment, int own);

}  // namespace railyard::collectives::nccl
