#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "collectives/nccl/timing/p2p_plan.hpp"
#include "collectives/nccl/tuning/environment.hpp"
#include "collectives/nccl/tuning/tuning_settings.hpp"

namespace railyard::collectives::nccl {

/// The NCCL version and the settings of its environment variables that are modelled
/// (docs/COMMANDS.md), by the part of the model that they change.
struct NcclEnvironment {
  SearchEnvironment search;      ///< version, graph search
  std::string release_note{};    ///< not empty where another release answers for the one asked for
  TuningSettings tuning;         ///< choice of algorithm and protocol
  P2pSettings p2p;               ///< sends and receives
  std::optional<int> cross_nic;  ///< NCCL_CROSS_NIC where it is set
  std::optional<int> qps;        ///< NCCL_IB_QPS_PER_CONNECTION where it is set
  bool registered = false;       ///< all ranks registered their buffers as symmetric windows
  bool zero_ctas = false;        ///< NCCL_CTA_POLICY=2: copy engines move registered buffers
  bool port_failover = false;    ///< NCCL_IB_RESILIENCY_PORT_FAILOVER, which 2.29.7 and later have
};

/// Why a collective does not survive that a NIC fails while it runs, or "". `has_partner`: the GPU
/// of the NIC uses others with it.
[[nodiscard]] std::string why_stopped_by_nic(const NcclEnvironment& environment, bool has_partner);

/// Why the environment excludes an algorithm for sends and receives, or "".
[[nodiscard]] std::string why_not(const NcclEnvironment& environment, std::string_view algorithm);

/// The number of channels that NCCL_MIN_NCHANNELS, MAX_NCHANNELS, MIN_CTAS and MAX_CTAS ask for;
/// nothing if they do not change `own`, the algorithm's own number.
[[nodiscard]] std::optional<int> clamped_channels(const NcclEnvironment& environment, int own);

}  // namespace railyard::collectives::nccl
