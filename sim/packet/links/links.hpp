#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/huge_pages.hpp"
#include "core/units.hpp"
#include "sim/packet/links/packet.hpp"
#include "sim/packet/links/ring_pool.hpp"

namespace railyard::sim::packet {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// One direction of a cable, from an output port to the input at its other end.
struct LinkSpec {
  std::uint32_t from = 0, to = 0;  ///< devices
  Bandwidth rate;
  Time latency;  ///< of the cable and of the switch at its end
  std::uint32_t reverse = kNone;
  bool is_sender = false;  ///< starts at a NIC (or a GPU), which chooses the next packet
  bool is_last = false;    ///< ends at a NIC or a reduction unit, which needs whole packets
  bool is_unit = false;    ///< ends at a reduction unit of a switch
};

/// A link and the queue of the output port at its start: a first-in first-out ring of packets.
/// Packets before `next` are on the wire (in the order of arrival), the others wait. A packet
/// starts at max(free_at, its time). The start is computed when it is needed, so that a hop costs
/// only one event, the arrival. The struct fills one cache line.
struct alignas(64) Link {
  std::int64_t free_at = 0;         ///< ps; the wire is busy until then
  std::int64_t pending = kNoEvent;  ///< time of the valid arrival event: see Engine::schedule
  Packet* ring = nullptr;
  std::uint32_t head = 0, next = 0,
                tail = 0;    ///< running numbers of packets: first on the wire, first waiting, end
  std::uint32_t queued = 0;  ///< waiting bytes
  std::uint32_t most_queued = 0;
  std::uint32_t latency = 0;      ///< ps
  std::uint32_t ps_per_byte = 0;  ///< 0 if it is not an integer
  std::uint32_t to = 0;           ///< device
  std::uint32_t held = 0;         ///< bytes that arrived over this link and wait in the switch at
                                  ///< its end
  std::uint8_t ring_log = 0;
  bool is_paused : 1 = false;
  bool has_start_event : 1 = false;
  bool is_away : 1 = false;  ///< another thread simulates the device at the other end
  std::uint8_t cut : 1 = 0;  ///< only the header must arrive: the switch at the end uses
                             ///< cut-through
  std::uint8_t is_sender : 1 = 0;
  std::uint8_t is_inside : 1 = 0;  ///< both ends are in one domain
  std::uint8_t is_timed : 1 = 0;   ///< a sending port whose packets start by events
  std::uint8_t is_listed : 1 = 0;  ///< among the outputs of its domain
  std::uint8_t is_down : 2 = 0;    ///< kFailed, kStopped: packets for it are lost
  std::uint8_t is_held : 1 = 0;    ///< a pause by the device at its end is in effect

  static constexpr std::uint8_t kFailed = 1, kStopped = 2;  ///< stopped by the watchdog
  static constexpr std::int64_t kNoEvent = -1;
  [[nodiscard]] Packet& slot(std::uint32_t number) const {
    return ring[number & ((1U << ring_log) - 1)];
  }
  [[nodiscard]] bool is_empty() const { return head == tail; }
  [[nodiscard]] bool has_waiting() const { return next != tail; }
};
static_assert(sizeof(Link) == 64);

/// All links of a network. A port may have several queues (`lanes`), which share its wire. Lane l
/// of port i is the link i + l * ports(). Lane 0 carries data.
class Links {
 public:
  /// The bytes of a packet that must have arrived before a cut-through switch may forward it:
  /// Ethernet, IPv4, UDP and BTH headers, rounded up to a cell of 64 bytes.
  static constexpr std::uint32_t kHeader = 64;

  /// Throws InputError for a link without rate or with more than 4.29 ms of latency.
  Links(std::span<const LinkSpec> specs, bool cuts_through, std::uint32_t lanes = 1);

  [[nodiscard]] Link& operator[](std::uint32_t link) { return links_[link]; }
  [[nodiscard]] const Link& operator[](std::uint32_t link) const { return links_[link]; }
  /// The number of links, over all lanes.
  [[nodiscard]] std::size_t size() const { return links_.size(); }
  [[nodiscard]] std::uint32_t ports() const { return ports_; }
  [[nodiscard]] std::uint32_t port_of(std::uint32_t link) const {
    return ports_ == links_.size() ? link : link % ports_;
  }
  [[nodiscard]] std::span<const LinkSpec> specs() const { return specs_; }
  [[nodiscard]] const LinkSpec& spec(std::uint32_t link) const { return specs_[link]; }

  /// The time in ps that `bytes` occupy a link, rounded up.
  [[nodiscard]] std::int64_t time_on(const Link& link, std::uint32_t bytes) const {
    if (link.ps_per_byte != 0) return std::int64_t{link.ps_per_byte} * bytes;
    const auto rate =
        static_cast<std::uint64_t>(rates_[static_cast<std::size_t>(&link - links_.data())]);
    return static_cast<std::int64_t>((bytes * kBitTime + rate - 1) / rate);
  }
  void prefetch(std::uint32_t link) const { __builtin_prefetch(&links_[link], 1); }
  /// Prefetches the packets of a link that are on the wire.
  void prefetch_wire(std::uint32_t number) const {
    const Link& link = links_[number];
    if (link.is_empty()) return;
    for (std::uint32_t i = link.head; i != link.next && i - link.head < kAhead; i += 2)
      __builtin_prefetch(&link.slot(i));
  }
  void prefetch_tail(std::uint32_t number) const {
    const Link& link = links_[number];
    if (link.ring != nullptr) __builtin_prefetch(&link.slot(link.tail), 1);
  }
  void prefetch_queue(std::uint32_t number) const {
    const Link& link = links_[number];
    if (link.ring == nullptr) return;
    for (std::uint32_t i = 0; i < kAhead; i += 2) {
      __builtin_prefetch(&link.slot(link.tail + i), 1);
      __builtin_prefetch(&link.slot(link.next + i), 1);
    }
  }

  void push(Link& link, const Packet& packet) {
    if (link.ring_log == 0 || link.tail - link.head == 1U << link.ring_log) grow(link);
    link.slot(link.tail++) = packet;
    link.queued += packet.bytes;
    if (link.queued > link.most_queued) link.most_queued = link.queued;
  }
  /// Appends a packet that another thread has put on the wire. No packet may wait here.
  void put_on_wire(Link& link, const Packet& packet) {
    if (link.ring_log == 0 || link.tail - link.head == 1U << link.ring_log) grow(link);
    link.slot(link.tail++) = packet;
    link.next = link.tail;
  }
  /// Removes the last waiting packet.
  Packet pop_tail(Link& link) {
    const Packet packet = link.slot(--link.tail);
    link.queued -= packet.bytes;
    return packet;
  }
  /// Puts the first waiting packet on the wire at `start`.
  Packet& begin(Link& link, std::int64_t start) {
    Packet& packet = link.slot(link.next++);
    const std::int64_t time = time_on(link, packet.bytes);
    link.free_at = start + time;
    link.queued -= packet.bytes;
    packet.time = start + arrival_delay(link, packet.bytes, time);
    return packet;
  }
  /// The current rate: of the spec, or of the last set_rate().
  [[nodiscard]] Bandwidth rate(std::uint32_t link) const {
    return Bandwidth::bits_per_second(rates_[link]);
  }
  /// Changes the rate for packets that start from now on.
  void set_rate(std::uint32_t link, Bandwidth rate);
  [[nodiscard]] std::int64_t arrival_delay(const Link& link, std::uint32_t bytes,
                                           std::int64_t time) const {
    if (link.cut == 0 || bytes <= kHeader) return time + link.latency;
    return time_on(link, kHeader) + link.latency;
  }
  /// The earliest start on `out` of a packet that has just arrived over `in`. With cut-through it
  /// is late enough that `out` never runs out of the packet's bytes.
  [[nodiscard]] std::int64_t earliest_start(const Link& in, const Link& out,
                                            const Packet& packet) const {
    if (in.cut == 0 || packet.bytes <= kHeader) return packet.time;
    const std::int64_t rest = time_on(in, packet.bytes) - time_on(in, kHeader);
    const std::int64_t lead = rest - time_on(out, packet.bytes);
    return lead > 0 ? packet.time + lead : packet.time;
  }

 private:
  static constexpr std::uint32_t kAhead = 14;  ///< packets: about 1 us of 4 KiB packets at 400 Gb/s
  static constexpr std::uint64_t kBitTime =
      8'000'000'000'000;  ///< ps per second times bits per byte
  void grow(Link& link);

  std::uint32_t ports_;
  std::vector<LinkSpec> specs_;
  LargeVector<Link> links_;
  std::vector<std::int64_t> rates_;  ///< bit/s
  RingPool pool_;
};

}  // namespace railyard::sim::packet
