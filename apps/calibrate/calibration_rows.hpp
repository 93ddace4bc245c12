#pragma once

#include <vector>

#include "apps/output/rows.hpp"
#include "collectives/nccl/timing/fit/class_fit.hpp"
#include "hw/probe/host_parameters.hpp"

namespace railyard::apps {

/// A row per parameter of a generation, fabric or host.
[[nodiscard]] RowTable tabulate_class_parameters(
    const std::vector<collectives::nccl::ClassParameter>& parameters);

/// A row per parameter of ranks on cores.
[[nodiscard]] RowTable tabulate_host_parameters(const std::vector<hw::HostParameter>& parameters);

}  // namespace railyard::apps
