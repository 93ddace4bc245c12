#include "collectives/schedule/measurement.hpp"

#include <fmt/format.h>

#include "core/diagnostic.hpp"

namespace railyard::collectives {

Measurement measure(const Schedule& schedule, const TaskResult& result, std::string_view executor,
                    std::uint64_t seed) {
  const Collective& collective = schedule.collective();
  const std::uint32_t ranks = schedule.group().size();
  const Time time = result.finish - result.start;
  if (result.finish == Time::never())
    throw InputError("", "",
                     fmt::format("{} of {} takes more than 106 days, the longest supported time",
                                 to_text(collective.kind), core::to_text(collective.bytes)),
                     "use fewer bytes");
  return {.collective = std::string(to_text(collective.kind)),
          .algorithm = schedule.algorithm(),
          .protocol = std::string(to_text(schedule.protocol())),
          .channels = static_cast<int>(schedule.channels().size()),
          .fidelity = std::string(executor),
          .ranks = ranks,
          .nodes = static_cast<std::uint32_t>(schedule.group().nodes().size()),
          .bytes = collective.bytes,
          .time = time,
          .algbw_GBps = algbw_GBps(collective, time),
          .busbw_GBps = busbw_GBps(collective, ranks, time),
          .bound_by = result.bound_by.text,
          .seed = seed,
          .live = {}};
}

}  // namespace railyard::collectives
