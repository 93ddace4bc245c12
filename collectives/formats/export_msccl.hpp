#pragma once

#include <string>

#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives {

/// The schedule as an MSCCL algorithm (XML that msccl and msccl-executor-nccl load): a thread block
/// per (channel, peer sent to) and (channel, peer received from), steps in the schedule's order
/// with their dependencies on other thread blocks. In place but for all_to_all, which goes from the
/// input to the output buffer (scratch where ranks hold what belongs to others). Throws InputError
/// for what the format cannot say: switches that reduce, PXN relays, send_recv, channels of unequal
/// numbers of chunks, more than a million transfers.
[[nodiscard]] std::string export_msccl(const Schedule& schedule);

}  // namespace railyard::collectives
