#include "sim/packet/switch/shared_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>

#include "core/diagnostic.hpp"
#include "topology/routing/flow_hash.hpp"

namespace railyard::sim::packet {
namespace {

constexpr std::int64_t kNoLimit = std::int64_t{1} << 50;  // bytes

/// The largest number of bytes in the output queue of a data class, or in the control queue behind
/// the data classes.
std::int64_t longest_of(const SwitchParameters& switches, std::size_t queue) {
  if (is_lossless(switches, queue)) return kNoLimit;
  const bool is_control = queue == class_count(switches);
  if (is_control && switches.control_queue) return switches.control_queue->count();
  return switches.queue ? switches.queue->count() : kNoLimit;
}

}  // namespace

SharedBuffers::SharedBuffers(const Links& links, std::size_t devices,
                             const SwitchParameters& parameters, Bytes packet, Bytes pause_frame)
    : switches_(devices), inputs_(links.size()), resume_gap_(parameters.resume_gap.count()) {
  const bool has_pauses = !parameters.credits;
  const std::size_t queues = queue_count(parameters);
  for (std::size_t queue = 0; queue < kMostQueues; ++queue)
    rules_[queue] = {.alpha = has_pauses ? alpha_of(parameters, queue) : 1.0,
                     .longest = longest_of(parameters, queue),
                     .is_lossless = has_pauses && is_lossless(parameters, queue)};
  const std::span<const Rule> rules(rules_.data(), queues);
  alpha_ = rules[0].alpha;
  is_lossless_ = rules[0].is_lossless;
  shortest_ = std::ranges::min(rules, {}, &Rule::longest).longest;
  const bool is_mixed = std::ranges::any_of(rules, [&](const Rule& rule) {
    return rule.alpha != alpha_ || rule.is_lossless != is_lossless_;
  });
  const bool has_lossless = std::ranges::any_of(rules, &Rule::is_lossless);
  reserved_ = has_lossless ? parameters.reserved.count() : 0;
  for (SwitchState& device : switches_)
    device.shared = parameters.credits ? kNoLimit : parameters.buffer.count();
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    const LinkSpec& spec = links.spec(i);
    if (spec.is_last || !has_lossless) continue;
    switches_[spec.to].shared -= reserved_;
    if (!rules_[i / links.ports()].is_lossless) continue;
    const Bytes headroom = parameters.headroom.value_or(
        headroom_of({.rate = spec.rate,
                     .back = links.spec(spec.reverse).rate,
                     .round_trip = spec.latency + links.spec(spec.reverse).latency,
                     .reaction = parameters.pause_reaction,
                     .packet = packet,
                     .pause_frame = pause_frame}));
    inputs_[i].headroom = static_cast<std::uint32_t>(headroom.count());
    switches_[spec.to].shared -= headroom.count();
  }
  for (SwitchState& device : switches_) {
    if (device.shared <= 0)
      throw InputError(
          "", "switches.buffer",
          fmt::format("{} bytes are less than reserved bytes and headroom of the inputs "
                      "of a switch, which lack {} bytes",
                      parameters.buffer.count(), -device.shared),
          "raise buffer, lower headroom, or set lossless to false");
    // An input holds at most `used` bytes of the shared buffer. So it is below a quarter of its
    // threshold while used < alpha / 4 * (shared - used).
    device.is_exact = is_mixed;
    if (is_mixed) continue;
    const double part = alpha_ / 4;
    device.calm = static_cast<std::int64_t>(part / (1 + part) * static_cast<double>(device.shared));
  }
}

Marking::Marking(const Links& links, const SwitchParameters& parameters, std::uint64_t seed,
                 bool marks_last)
    : ports_(links.ports()), seed_(seed) {
  for (std::size_t queue = 0; queue < queue_count(parameters); ++queue) {
    const EcnParameters& ecn = ecn_of(parameters, queue);
    const auto k_min = static_cast<double>(std::max<std::int64_t>(ecn.k_min.count(), 1));
    rules_.push_back(
        {.k_max_over_k_min = static_cast<double>(ecn.k_max.count()) / k_min, .p_max = ecn.p_max});
    for (std::uint32_t i = 0; i < ports_; ++i) {
      const LinkSpec& spec = links.spec(i);
      const double scale = static_cast<double>(spec.rate.bits_per_second()) /
                           static_cast<double>(ecn.reference.bits_per_second());
      const bool is_mute = spec.is_sender || (spec.is_last && !marks_last);
      k_min_.push_back(is_mute ? ~std::uint32_t{0}
                               : static_cast<std::uint32_t>(std::min(k_min * scale, 4e9)));
    }
  }
}

bool Marking::marks_above(std::uint32_t link, std::uint32_t queued, const Packet& packet) const {
  const Rule& rule = rules_[link / ports_];
  const double k_min = k_min_[link];
  const double k_max = k_min * rule.k_max_over_k_min;
  if (queued > k_max) return true;
  const double probability = rule.p_max * (queued - k_min) / (k_max - k_min);
  const std::uint64_t draw =
      topology::mix(topology::mix(seed_ ^ link) ^
                    (static_cast<std::uint64_t>(packet.pair) << 32 | packet.sequence));
  return static_cast<double>(draw >> 11) * 0x1p-53 < probability;
}

}  // namespace railyard::sim::packet
