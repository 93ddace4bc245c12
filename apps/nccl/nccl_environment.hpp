#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "collectives/nccl/timing/p2p_plan.hpp"
#include "collectives/nccl/tuning/environment.hpp"
#include "collectives/nccl/tuning/tuning_settings.hpp"

namespace railyard::apps {

/// What --nccl and NCCL's environment variables ask for, as far as it is modelled
/// (docs/COMMANDS.md): of the graph search, of the choice, of sends and receives, of the network.
struct NcclEnvironment {
  collectives::nccl::SearchEnvironment search;
  collectives::nccl::TuningSettings tuning;
  collectives::nccl::P2pSettings p2p;
  std::optional<int> cross_nic;  ///< NCCL_CROSS_NIC where it is set
  std::optional<int> qps;        ///< NCCL_IB_QPS_PER_CONNECTION
};

/// Reads the flags' "NAME=VALUE" texts and the version. Throws InputError with every name that NCCL
/// does not know (did you mean), that is known but not modelled, and every bad value.
[[nodiscard]] NcclEnvironment read_nccl_environment(const NcclFlags& flags);

/// Names of the variables that have an effect, in alphabetical order.
[[nodiscard]] std::vector<std::string_view> modelled_nccl_variables();

/// Whether the environment leaves an algorithm of sends and receives in; else why not.
[[nodiscard]] std::string why_not(const NcclEnvironment& environment, std::string_view algorithm);

/// The channels asked for, after NCCL_MIN_NCHANNELS, MAX_NCHANNELS, MIN_CTAS and MAX_CTAS; nothing
/// if they do not change `own`, what the algorithm takes by itself.
[[nodiscard]] std::optional<int> clamped_channels(const NcclEnvironment& environment, int own);

/// The fabric flags with what the environment says of queue pairs; --qps has the last word.
[[nodiscard]] FabricFlags with_environment(FabricFlags flags, const NcclEnvironment& environment);

}  // namespace railyard::apps
