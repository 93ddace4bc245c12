#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace railyard::collectives {

/// One transfer of a schedule with its channel and step, in the order of the schedule.
struct LoggedTransfer {
  std::size_t channel = 0;
  std::uint64_t step = 0;  ///< number of the step within its channel, over all loops and iterations
  Transfer transfer;
};

/// All transfers, channel by channel. Throws InputError, with the name of the output format
/// `format`, if there are more than `limit`.
[[nodiscard]] std::vector<LoggedTransfer> log_transfers(const Schedule& schedule,
                                                        std::uint64_t limit,
                                                        std::string_view format);

}  // namespace railyard::collectives
