#include "sim/packet/nic/ingress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/diagnostic.hpp"

namespace railyard::sim::packet {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 2;  // bytes
constexpr std::uint64_t kBitTime = 8'000'000'000'000;  // ps per second times bits per byte

}  // namespace

Ingress::Ingress(const Links& links, std::size_t devices, const Parameters& parameters,
                 Bytes packet, Bytes pause_frame) {
  const NicParameters& nic = parameters.nic;
  if (!limits_ingress(nic)) return;
  const SwitchParameters& switches = parameters.switches;
  nics_.resize(devices);
  packet_ = packet.count();
  if (nic.ingress_rate) rate_ = static_cast<std::uint64_t>(nic.ingress_rate->bits_per_second());
  gap_ = nic.ingress_gap.picoseconds();
  buffer_ = switches.credits ? kNoLimit : ingress_buffer_of(nic).count();
  for (std::size_t queue = 0; queue < queue_count(switches); ++queue)
    may_pause_.push_back(!switches.credits && queue < class_count(switches) &&
                         is_lossless(switches, queue));
  const auto lossless = std::ranges::count(may_pause_, true);
  for (Nic& one : nics_) one.pause_at = buffer_;
  for (std::uint32_t i = 0; i < links.ports() && lossless > 0; ++i) {
    const LinkSpec& spec = links.spec(i);
    if (!spec.is_last || spec.is_unit || spec.is_sender) continue;
    const Bytes headroom =
        headroom_of({.rate = spec.rate,
                     .back = links.spec(spec.reverse).rate,
                     .round_trip = spec.latency + links.spec(spec.reverse).latency,
                     .reaction = switches.pause_reaction,
                     .packet = packet,
                     .pause_frame = pause_frame});
    nics_[spec.to].pause_at -= lossless * headroom.count();
  }
  const std::int64_t least = std::ranges::min(nics_, {}, &Nic::pause_at).pause_at;
  if (least < packet_)
    throw InputError("", "nic.ingress_buffer",
                     fmt::format("{} bytes are {} bytes less than a packet and what the links of a "
                                 "NIC still carry after a pause",
                                 buffer_, packet_ - least),
                     fmt::format("give at least {} B", buffer_ + packet_ - least));
}

std::int64_t Ingress::time_of(std::uint32_t bytes) const {
  if (rate_ == 0) return gap_;
  return std::max(gap_, static_cast<std::int64_t>((bytes * kBitTime + rate_ - 1) / rate_));
}

bool Ingress::admit(Nic& nic, Packet packet) {
  const std::int64_t limit = may_pause_[packet.lane] ? buffer_ : nic.pause_at;
  if (nic.bytes + packet.bytes > limit) return false;
  nic.bytes += packet.bytes;
  nic.free_at = std::max(nic.free_at, packet.time) + time_of(packet.bytes);
  packet.time = nic.free_at;
  nic.held.push(packet);
  return true;
}

}  // namespace railyard::sim::packet
