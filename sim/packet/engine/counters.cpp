#include "sim/packet/engine/counters.hpp"

namespace railyard::sim::packet {

Counters& Counters::operator+=(const Counters& other) {
  events += other.events;
  data_hops += other.data_hops;
  control_hops += other.control_hops;
  data_sent += other.data_sent;
  retransmitted += other.retransmitted;
  lost += other.lost;
  nic_lost += other.nic_lost;
  trimmed += other.trimmed;
  returned += other.returned;
  pulls += other.pulls;
  marked += other.marked;
  cnps += other.cnps;
  timeouts += other.timeouts;
  pauses += other.pauses;
  storms += other.storms;
  discarded += other.discarded;
  paused += other.paused;
  posted_bytes += other.posted_bytes;
  delivered_bytes += other.delivered_bytes;
  return *this;
}

}  // namespace railyard::sim::packet
