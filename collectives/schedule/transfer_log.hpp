#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives {

/// One transfer of a schedule with what it belongs to, in the order of the schedule.
struct LoggedTransfer {
  std::size_t channel = 0;
  std::uint64_t step = 0;  ///< number of the step in its channel, over all loops and iterations
  Transfer transfer;
};

/// All transfers, channel by channel. Throws InputError if there are more than `limit` (what writes
/// them out would not fit), naming `format`.
[[nodiscard]] std::vector<LoggedTransfer> log_transfers(const Schedule& schedule,
                                                        std::uint64_t limit,
                                                        std::string_view format);

}  // namespace railyard::collectives
