#include "collectives/schedule/transfer_log.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"

namespace railyard::collectives {

std::vector<LoggedTransfer> log_transfers(const Schedule& schedule, std::uint64_t limit,
                                          std::string_view format) {
  const std::uint64_t count = schedule.transfer_count();
  if (count > limit) {
    throw InputError(
        "", "--export",
        fmt::format("{} transfers are too many for {}, which takes {}", count, format, limit),
        "fewer ranks or channels, or a larger --chunk");
  }
  std::vector<LoggedTransfer> log;
  log.reserve(count);
  for (std::size_t channel = 0; channel < schedule.channels().size(); ++channel) {
    std::uint64_t number = 0;
    for (const Loop& loop : schedule.channels()[channel].loops) {
      for (std::uint64_t k = 0; k < loop.repeat; ++k) {
        for (const Step& step : loop.steps) {
          for (std::uint64_t i = 0; i < step.size(); ++i) {
            log.push_back({.channel = channel, .step = number, .transfer = step.at(i, k)});
          }
          ++number;
        }
      }
    }
  }
  return log;
}

}  // namespace railyard::collectives
