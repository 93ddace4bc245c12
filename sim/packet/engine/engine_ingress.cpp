// Engine: NICs whose receive rate is limited.
#include "sim/packet/engine/engine.hpp"

namespace railyard::sim::packet {

// Whether an arrived packet is subject to the receive limit of its NIC. Not limited are packets
// that end in the NIC (acknowledgements and other control packets, read requests, headers of
// trimmed packets), packets inside a node, and packets for a reduction unit of a switch.
bool Engine::waits_at_nic(std::uint32_t number, const Packet& packet) const {
  return packet.kind == PacketKind::data && !packet.trimmed &&
         pairs_[packet.pair].back_leg != kNone && !is_asking(packet.pair) &&
         !links_.spec(links_.port_of(number)).is_unit;
}

void Engine::enter_nic(std::uint32_t number, const Packet& packet) {
  const std::uint32_t device = links_[number].to;
  Ingress::Nic& nic = ingress_.at(device);
  const bool was_empty = nic.held.empty();
  if (!ingress_.admit(nic, packet)) {
    ++counters_.nic_lost;
    return;
  }
  if (was_empty)
    push_event(to_domain_[number], {nic.held.front().time, EventKind::ingress, device});
  if (!ingress_.must_pause(nic, packet.lane) || buffers_.input(number).is_paused) return;
  nic.paused.push_back(number);
  // The pause frame is sent after the packets that have already started.
  advance(links_.spec(number).reverse, packet.time);
  send_pause(number, packet.time, EventKind::pause);
}

void Engine::take_in(std::uint32_t device, std::int64_t now) {
  Ingress::Nic& nic = ingress_.at(device);
  const Packet packet = nic.held.front();
  const std::uint32_t number = link_of(route_links_[packet.at], packet);
  nic.held.pop();
  nic.bytes -= packet.bytes;
  in_memory_ = now;
  receive(packet, now);
  if (!is_plain_ && credits_.are_used()) give_back(number, packet.bytes, in_memory_);
  if (ingress_.may_resume(nic)) {
    for (const std::uint32_t queue : nic.paused) {
      advance(links_.spec(queue).reverse, now);
      send_pause(queue, now, EventKind::resume);
    }
    nic.paused.clear();
  }
  if (!nic.held.empty())
    push_event(to_domain_[number], {nic.held.front().time, EventKind::ingress, device});
}

}  // namespace railyard::sim::packet
