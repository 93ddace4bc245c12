#pragma once

#include <string>

#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives {

/// The schedule as an MSCCL algorithm (XML for msccl and msccl-executor-nccl): a thread block per
/// channel and peer for sends, and one for receives. Steps are in the schedule's order, with
/// dependencies on other thread blocks. In place, except all_to_all, which copies from the input to
/// the output buffer (scratch for data of other ranks). Throws InputError for schedules that the
/// format does not support: in-switch reduction, PXN relays, send_recv, channels with different
/// numbers of chunks, more than a million transfers.
[[nodiscard]] std::string export_msccl(const Schedule& schedule);

}  // namespace railyard::collectives
