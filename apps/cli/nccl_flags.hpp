#pragma once

#include "apps/cli/flag_groups.hpp"
#include "collectives/nccl/choice/nccl_environment.hpp"

namespace railyard::apps {

/// The environment of --nccl and --env. Throws InputError with all unknown variables and invalid
/// values, and for an invalid release.
[[nodiscard]] collectives::nccl::NcclEnvironment nccl_environment_of(const NcclFlags& flags);

/// The fabric flags; if --qps is not set, with the queue pairs of the environment.
[[nodiscard]] FabricFlags with_environment(FabricFlags flags,
                                           const collectives::nccl::NcclEnvironment& environment);

}  // namespace railyard::apps
