#include "apps/cli/nccl_flags.hpp"

#include "collectives/nccl/choice/read_environment.hpp"

namespace railyard::apps {

using collectives::nccl::NcclEnvironment;
using collectives::nccl::Version;

NcclEnvironment nccl_environment_of(const NcclFlags& flags) {
  return read_nccl_environment(flags.version == "2.28" ? Version::v2_28 : Version::v2_30,
                               flags.environment);
}

FabricFlags with_environment(FabricFlags flags, const NcclEnvironment& environment) {
  if (!flags.qps) flags.qps = environment.qps;
  return flags;
}

}  // namespace railyard::apps
