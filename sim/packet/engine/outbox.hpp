#pragma once

#include <cstdint>
#include <vector>

#include "sim/packet/events/event.hpp"
#include "sim/packet/links/packet.hpp"
#include "sim/packet/transport/feedback.hpp"
#include "sim/packet/transport/queue_pair.hpp"
#include "sim/packet/transport/scoreboard.hpp"

namespace railyard::sim::packet {

/// What domains tell those of one thread in a window. The receivers act on it in the next window:
/// nothing of it concerns the present one, which is not longer than the latency between domains.
/// Real packets carry most of it in their headers.
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
  /// A packet of `bytes` has left the buffer behind a link; its sender knows at `known` (ps).
  struct Credit {
    std::uint32_t link, bytes;
    std::int64_t known;
  };
  /// A packet whose receiver reports it.
  struct Sent {
    std::uint32_t pair, oldest, sequence;
    std::uint32_t wanted;  ///< pulls that the sender asks for
    bool asks, is_again;
  };
  struct Report {
    std::uint32_t pair;
    Scoreboard::Report report;
  };
  /// The response of reads has arrived up to a packet. The requester keeps it to itself, or the
  /// requests that it issues again carry it.
  struct Response {
    std::uint32_t pair, sequence;
    std::int64_t time;  ///< ps
    bool comes_again = false;
  };
  /// What a switch has written into a packet.
  struct Record {
    std::uint32_t pair, sequence, port;
    HopRecord record;
  };

  std::vector<Departure> departures;
  std::vector<Planned> events;
  std::vector<Credit> credits;
  std::vector<Message> messages;  ///< that queue pairs have begun
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
