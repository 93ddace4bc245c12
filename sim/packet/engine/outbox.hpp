#pragma once

#include <cstdint>
#include <vector>

#include "sim/packet/events/event.hpp"
#include "sim/packet/links/packet.hpp"
#include "sim/packet/transport/feedback.hpp"
#include "sim/packet/transport/queue_pair.hpp"
#include "sim/packet/transport/scoreboard.hpp"

namespace railyard::sim::packet {

/// Messages from the domains of one thread to those of another, collected in one window and
/// processed at the start of the next. This is early enough, because a window is not longer than
/// the latency between domains. In a real network packet headers carry most of this information.
struct Outbox {
  /// A packet that has started on a link.
  struct Departure {
    std::uint32_t link;
    Packet packet;
  };
  struct Planned {
    std::uint32_t domain;
    Event event;
  };
  /// A packet of `bytes` has left the buffer at the end of a link. The link's sender learns of it
  /// at `known` (ps).
  struct Credit {
    std::uint32_t link, bytes;
    std::int64_t known;
  };
  /// A packet that was sent on a queue pair with selective repeat.
  struct Sent {
    std::uint32_t pair, oldest, sequence;
    std::uint32_t wanted;  ///< grants that the sender requests with it
    bool asks, is_again;
  };
  struct Report {
    std::uint32_t pair;
    Scoreboard::Report report;
  };
  /// The response of a read has arrived up to packet `sequence`. In a real network the requester
  /// keeps this to itself, or its repeated requests carry it.
  struct Response {
    std::uint32_t pair, sequence;
    std::int64_t time;  ///< ps
    bool comes_again = false;
  };
  /// The telemetry record that a switch has written into a packet.
  struct Record {
    std::uint32_t pair, sequence, port;
    HopRecord record;
  };

  std::vector<Departure> departures;
  std::vector<Planned> events;
  std::vector<Credit> credits;
  std::vector<Message> messages;  ///< messages that queue pairs have begun to send
  std::vector<Sent> sent;
  std::vector<Report> reports;
  std::vector<Response> responses;
  std::vector<Record> records;

  void clear() {
    departures.clear();
    events.clear();
    credits.clear();
    messages.clear();
    sent.clear();
    reports.clear();
    responses.clear();
    records.clear();
  }
};

}  // namespace railyard::sim::packet
