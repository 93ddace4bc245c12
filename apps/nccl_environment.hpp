#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/flag_groups.hpp"
#include "collectives/collective.hpp"

namespace railyard::apps {

/// What NCCL's environment variables ask for, as far as it is modelled (docs/COMMANDS.md).
struct NcclEnvironment {
  /// NCCL_ALGO, NCCL_PROTO for this collective; not set: all.
  std::optional<std::vector<std::string>> algorithms;
  std::optional<std::vector<collectives::Protocol>> protocols;
  std::string algorithm_text, protocol_text;  ///< "NCCL_ALGO=Ring", for messages
  std::optional<int> min_channels, max_channels;
  bool pxn = true;
  std::optional<int> cross_nic;
};

/// Reads "NAME=VALUE" texts for one kind of collective. Throws InputError with every name that NCCL
/// does not know (did you mean), that is known but not modelled yet, and every bad value.
[[nodiscard]] NcclEnvironment read_nccl_environment(const std::vector<std::string>& variables,
                                                    collectives::Kind kind);

/// Whether NCCL_ALGO, NCCL_PROTO and NCCL_PXN_DISABLE leave an algorithm and a protocol in; else
/// why not.
[[nodiscard]] std::string why_not(const NcclEnvironment& environment, collectives::Kind kind,
                                  std::string_view algorithm, collectives::Protocol protocol);

/// The channels asked for, after NCCL_MIN_NCHANNELS and NCCL_MAX_NCHANNELS; nothing if they do not
/// change `own`, what the algorithm takes by itself.
[[nodiscard]] std::optional<int> clamped_channels(const NcclEnvironment& environment, int own);

}  // namespace railyard::apps
