#include "apps/cli/schedule_request.hpp"

#include <algorithm>

namespace railyard::apps {

using collectives::Protocol;
using collectives::Request;
using collectives::Schedule;

Request schedule_request(const Chooser& chooser, const ChoiceRequest& asked, Protocol protocol,
                         std::optional<int> channels) {
  return {.cluster = chooser.cluster(),
          .group = asked.group,
          .collective = asked.collective,
          .options = {.channels = channels,
                      .protocol = protocol,
                      .chunk = std::nullopt,
                      .cross_nic = chooser.environment().cross_nic}};
}

Schedule built_way(const Chooser& chooser, const ChoiceRequest& asked, std::string_view algorithm,
                   Protocol protocol, std::optional<int> channels) {
  if (asked.channels) channels = asked.channels;
  Schedule schedule =
      build_schedule(algorithm, schedule_request(chooser, asked, protocol, channels));
  if (channels) return schedule;
  channels = clamped_channels(chooser.environment(), static_cast<int>(schedule.channels().size()));
  if (!channels) return schedule;
  return build_schedule(algorithm, schedule_request(chooser, asked, protocol, channels));
}

std::string why_not_built(const Chooser& chooser, const ChoiceRequest& asked,
                          const collectives::Algorithm& algorithm, Protocol protocol) {
  return algorithm.why_not(schedule_request(chooser, asked, protocol, asked.channels));
}

}  // namespace railyard::apps
