#include "apps/cli/nccl_flags.hpp"

#include <fmt/format.h>

#include "collectives/nccl/choice/read_environment.hpp"
#include "collectives/nccl/tuning/release.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {

using collectives::nccl::modelled_release;
using collectives::nccl::NcclEnvironment;

NcclEnvironment nccl_environment_of(const NcclFlags& flags) {
  const auto release = modelled_release(flags.version);
  if (!release)
    throw InputError("", "--nccl", fmt::format("'{}' is not a release of NCCL 2", flags.version),
                     "write it as 2.30 or 2.30.7; 2.28, 2.30 and 2.32 are modelled");
  NcclEnvironment environment = read_nccl_environment(release->version, flags.environment);
  environment.release_note = release->note;
  environment.registered = flags.registered;
  if (environment.zero_ctas && !flags.registered)
    throw InputError("", "--env NCCL_CTA_POLICY=2", "copy engines move registered buffers only",
                     "add --registered");
  if (flags.registered && release->version != collectives::nccl::Version::v2_32)
    throw InputError("", "--registered", "models the symmetric kernels of NCCL 2.32",
                     "add --nccl 2.32");
  return environment;
}

FabricFlags with_environment(FabricFlags flags, const NcclEnvironment& environment) {
  if (!flags.qps) flags.qps = environment.qps;
  return flags;
}

}  // namespace railyard::apps
