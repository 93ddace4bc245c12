#include "sim/workload/fluid_traffic.hpp"

#include <limits>

#include "sim/workload/load_profiles.hpp"

namespace railyard::sim {

Time FluidTraffic::before_start(std::uint32_t load, float rate_share) const {
  return latency_with_share(profiles_[load], rate_share);
}

void FluidTraffic::start(std::uint32_t meeting, std::uint32_t load, float rate_share, Time now) {
  const IsolatedTime& profile = profiles_[load];
  const FoldedNetwork::Flow& flow = network_.flows[load];
  const double seconds =
      (time_with_share(profile, rate_share) - latency_with_share(profile, rate_share)).seconds();
  if (fluid_.now() < now.seconds() && fluid_.active() == 0) (void)fluid_.advance(now.seconds());
  const StreamId stream = fluid_.add(
      {.hops = flow.hops,
       .bytes = flow.bytes,
       .rate_cap = seconds > 0 ? flow.bytes / seconds : std::numeric_limits<double>::infinity()});
  if (meeting_of_stream_.size() <= stream.index()) meeting_of_stream_.resize(stream.index() + 1);
  meeting_of_stream_[stream.index()] = meeting;
}

std::span<const std::uint32_t> FluidTraffic::advance(Time until) {
  ended_.clear();
  const double seconds =
      until == Time::never() ? std::numeric_limits<double>::infinity() : until.seconds();
  for (const StreamId stream : fluid_.advance(seconds))
    ended_.push_back(meeting_of_stream_[stream.index()]);
  return ended_;
}

}  // namespace railyard::sim
