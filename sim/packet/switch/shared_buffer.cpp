#include "sim/packet/switch/shared_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "topology/routing/flow_hash.hpp"

namespace railyard::sim::packet {
namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 50;  // bytes

/// Most bytes that wait in the queues of an output, by lane: those of data, then that of control.
std::array<std::int64_t, kMostQueues> limits_of(const SwitchParameters& switches) {
  std::array<std::int64_t, kMostQueues> limits{};
  limits.fill(kNoLimit);
  if (switches.lossless) return limits;
  if (switches.queue) limits.fill(switches.queue->count());
  if (switches.control_queue) limits.at(class_count(switches)) = switches.control_queue->count();
  return limits;
}

}  // namespace

SharedBuffers::SharedBuffers(const Links& links, std::size_t devices,
                             const SwitchParameters& parameters, Bytes packet, Bytes pause_frame)
    : switches_(devices),
      inputs_(links.size()),
      alpha_(parameters.credits ? 1.0 : parameters.alpha),
      reserved_(parameters.lossless && !parameters.credits ? parameters.reserved.count() : 0),
      resume_gap_(parameters.resume_gap.count()),
      longest_(limits_of(parameters)),
      shortest_(*std::ranges::min_element(longest_)),
      is_lossless_(parameters.lossless && !parameters.credits) {
  for (SwitchState& device : switches_)
    device.shared = parameters.credits ? kNoLimit : parameters.buffer.count();
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    const LinkSpec& spec = links.spec(i);
    if (spec.is_last || !is_lossless_) continue;
    const Bytes headroom = parameters.headroom.value_or(
        headroom_of({.rate = spec.rate,
                     .back = links.spec(spec.reverse).rate,
                     .round_trip = spec.latency + links.spec(spec.reverse).latency,
                     .reaction = parameters.pause_reaction,
                     .packet = packet,
                     .pause_frame = pause_frame}));
    inputs_[i].headroom = static_cast<std::uint32_t>(headroom.count());
    switches_[spec.to].shared -= headroom.count() + parameters.reserved.count();
  }
  for (SwitchState& device : switches_) {
    if (device.shared <= 0)
      throw InputError(
          "", "switches.buffer",
          fmt::format("{} bytes are less than reserved bytes and headroom of the inputs "
                      "of a switch, which lack {} bytes",
                      parameters.buffer.count(), -device.shared),
          "raise buffer, lower headroom, or set lossless to false");
    // An input holds at most `used` of the shared buffer: it is below a quarter of its threshold
    // while used < alpha / 4 * (shared - used).
    const double part = alpha_ / 4;
    device.calm = static_cast<std::int64_t>(part / (1 + part) * static_cast<double>(device.shared));
  }
}

Marking::Marking(const Links& links, const EcnParameters& parameters, std::uint64_t seed)
    : k_max_over_k_min_(static_cast<double>(parameters.k_max.count()) /
                        static_cast<double>(std::max<std::int64_t>(parameters.k_min.count(), 1))),
      p_max_(parameters.p_max),
      seed_(seed) {
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    const LinkSpec& spec = links.spec(i);
    const double scale = static_cast<double>(spec.rate.bits_per_second()) /
                         static_cast<double>(parameters.reference.bits_per_second());
    const double k_min = static_cast<double>(std::max<std::int64_t>(parameters.k_min.count(), 1));
    k_min_.push_back(spec.is_sender ? ~std::uint32_t{0}
                                    : static_cast<std::uint32_t>(std::min(k_min * scale, 4e9)));
  }
}

bool Marking::marks_above(std::uint32_t link, std::uint32_t queued, const Packet& packet) const {
  const double k_min = k_min_[link];
  const double k_max = k_min * k_max_over_k_min_;
  if (queued > k_max) return true;
  const double probability = p_max_ * (queued - k_min) / (k_max - k_min);
  const std::uint64_t draw =
      topology::mix(topology::mix(seed_ ^ link) ^
                    (static_cast<std::uint64_t>(packet.pair) << 32 | packet.sequence));
  return static_cast<double>(draw >> 11) * 0x1p-53 < probability;
}

}  // namespace railyard::sim::packet
