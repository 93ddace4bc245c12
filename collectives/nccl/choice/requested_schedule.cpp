#include "collectives/nccl/choice/requested_schedule.hpp"

namespace railyard::collectives::nccl {
namespace {

Request build_request(const ChoiceSetting& setting, const ChoiceRequest& request, Protocol protocol,
                      std::optional<int> channels) {
  return {.cluster = setting.cluster,
          .group = request.group,
          .collective = request.collective,
          .options = {.channels = channels,
                      .protocol = protocol,
                      .chunk = std::nullopt,
                      .cross_nic = setting.environment.cross_nic}};
}

}  // namespace

Schedule unbounded_schedule(const ChoiceSetting& setting, const ChoiceRequest& request,
                            std::string_view algorithm, Protocol protocol,
                            std::optional<int> channels) {
  return build_schedule(algorithm, build_request(setting, request, protocol, channels));
}

Schedule requested_schedule(const ChoiceSetting& setting, const ChoiceRequest& request,
                            std::string_view algorithm, Protocol protocol,
                            std::optional<int> channels) {
  if (request.channels) channels = request.channels;
  Schedule schedule = unbounded_schedule(setting, request, algorithm, protocol, channels);
  if (channels) return schedule;
  channels = clamped_channels(setting.environment, static_cast<int>(schedule.channels().size()));
  if (!channels) return schedule;
  return unbounded_schedule(setting, request, algorithm, protocol, channels);
}

Schedule registered_schedule(const ChoiceSetting& setting, const ChoiceRequest& request,
                             const SymmetricEstimate& kernel) {
  const bool switched = kernel.multicast && request.group->nodes().size() == 1;
  const Schedule moves = unbounded_schedule(setting, request, switched ? "nvls" : "ring",
                                            Protocol::simple, std::nullopt);
  return Schedule({.algorithm = std::string(kernel.name),
                   .protocol = kernel.low_latency ? Protocol::ll : Protocol::simple,
                   .collective = moves.collective(),
                   .group = request.group,
                   .reducers = {moves.reducers().begin(), moves.reducers().end()},
                   .channels = {moves.channels().begin(), moves.channels().end()}});
}

std::string why_not_built(const ChoiceSetting& setting, const ChoiceRequest& request,
                          const Algorithm& algorithm, Protocol protocol) {
  return algorithm.why_not(build_request(setting, request, protocol, request.channels));
}

}  // namespace railyard::collectives::nccl
