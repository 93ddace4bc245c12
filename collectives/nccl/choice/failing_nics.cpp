#include "collectives/nccl/choice/failing_nics.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"
#include "topology/cluster/lost_nics.hpp"

namespace railyard::collectives::nccl {

void check_failing_nics(const topology::Cluster& cluster, std::span<const std::string> failures,
                        const NcclEnvironment& environment) {
  for (const std::string& text : failures) {
    const auto failure = topology::parse_nic_failure(text);
    if (!failure || failure->at_start) continue;
    const bool has_partner = topology::has_partner(cluster, failure->name);
    const std::string reason = why_stopped_by_nic(environment, has_partner);
    if (reason.empty()) continue;
    throw InputError("", "--fail", fmt::format("{}: {}", text, reason),
                     has_partner ? "--env NCCL_IB_RESILIENCY_PORT_FAILOVER=1 with --nccl 2.30; "
                                   "without a time the NIC fails before NCCL starts"
                                 : "without a time the NIC fails before NCCL starts");
  }
}

}  // namespace railyard::collectives::nccl
