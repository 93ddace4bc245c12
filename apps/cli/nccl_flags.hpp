#pragma once

#include "apps/cli/flag_groups.hpp"
#include "collectives/nccl/choice/nccl_environment.hpp"

namespace railyard::apps {

/// --nccl and --env. Throws InputError with every unknown variable and every bad value, and for
/// a text that is no release.
[[nodiscard]] collectives::nccl::NcclEnvironment nccl_environment_of(const NcclFlags& flags);

/// The fabric flags with the environment's queue pairs, where --qps does not set them.
[[nodiscard]] FabricFlags with_environment(FabricFlags flags,
                                           const collectives::nccl::NcclEnvironment& environment);

}  // namespace railyard::apps
