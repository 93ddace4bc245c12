#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/packet/parameters.hpp"
#include "sim/packet/transport/dcqcn.hpp"
#include "sim/packet/transport/flight_log.hpp"
#include "sim/packet/transport/hpcc.hpp"
#include "sim/packet/transport/ibcc.hpp"
#include "sim/packet/transport/nscc.hpp"
#include "sim/packet/transport/swift.hpp"
#include "sim/packet/transport/timely.hpp"

namespace railyard::sim::packet {

/// The congestion control of all queue pairs: one algorithm with a state per queue pair. The engine
/// reads rate and window again after a function has reported that they may have changed.
class CongestionControl {
 public:
  /// A window without a limit.
  static constexpr std::uint64_t kNoWindow = std::numeric_limits<std::uint64_t>::max();

  CongestionControl(const Parameters& parameters);

  /// Adds a sending port with its rate; ports count from 0.
  void add_sender(Bandwidth rate);
  /// Adds a queue pair of a sending port; queue pairs count from 0.
  void add_pair(std::uint32_t sender, const PathFacts& path);

  [[nodiscard]] bool marks_ecn() const { return marks_; }
  /// Whether receivers answer marked packets with notifications (CNPs).
  [[nodiscard]] bool sends_cnps() const {
    return kind_ == Congestion::dcqcn || kind_ == Congestion::ibcc;
  }
  /// The shortest time between two notifications of a queue pair (ps). InfiniBand answers each
  /// mark.
  [[nodiscard]] std::int64_t cnp_interval() const {
    return kind_ == Congestion::dcqcn ? dcqcn_parameters_.cnp_interval.picoseconds() : 0;
  }
  [[nodiscard]] bool is_pulled() const { return packet::is_pulled(kind_); }
  /// Whether acknowledgements need Feedback, and whether it includes the records of switches.
  [[nodiscard]] bool needs_feedback() const { return needs_round_trips(kind_); }
  [[nodiscard]] bool needs_records() const { return kind_ == Congestion::hpcc; }

  /// Call it before a packet starts. Returns whether the rate may have changed.
  bool before_send(std::uint32_t pair, std::uint32_t sender, std::int64_t now) {
    if (kind_ == Congestion::dcqcn) return dcqcn_[pair].advance(dcqcn_rules_[sender], now);
    return kind_ == Congestion::ibcc && ibcc_[pair].advance(ibcc_parameters_, now);
  }
  /// Counts the wire bytes of a packet that has started. Returns whether the rate has changed.
  bool sent(std::uint32_t pair, std::uint32_t sender, std::uint32_t bytes) {
    return kind_ == Congestion::dcqcn && dcqcn_[pair].sent(dcqcn_rules_[sender], bytes);
  }
  /// Call it when a CNP arrives.
  void congestion(std::uint32_t pair, std::uint32_t sender, std::int64_t now);
  /// Call it when an acknowledgement of new packets arrives. `previous`: FlightLog::previous.
  void acknowledged(std::uint32_t pair, const Feedback& feedback, std::span<HopRecord> previous);
  /// Call it when the receiver or a time-out reports a loss. `on_the_way`: number of packets in
  /// flight.
  void lost(std::uint32_t pair, std::int64_t now, std::uint32_t on_the_way = 0);

  /// Call it when a queue pair moves to another path.
  void change_path(std::uint32_t pair, const PathFacts& path);

  /// The rate on the wire in bit/s.
  [[nodiscard]] double rate(std::uint32_t pair) const;
  /// The window in bytes of payload: a packet is sent while fewer bytes are in flight.
  [[nodiscard]] std::uint64_t window(std::uint32_t pair) const;
  [[nodiscard]] const Nscc& nscc(std::uint32_t pair) const { return nscc_[pair]; }
  [[nodiscard]] const Dcqcn& dcqcn(std::uint32_t pair) const { return dcqcn_[pair]; }

  /// Memory in bytes of a queue pair with at most `packets` in flight.
  [[nodiscard]] static std::size_t pair_bytes(Congestion kind, std::size_t packets);

 private:
  const Congestion kind_;
  const HpccParameters hpcc_parameters_;
  const SwiftParameters swift_parameters_;
  const TimelyParameters timely_parameters_;
  const DcqcnParameters dcqcn_parameters_;
  const NsccParameters nscc_parameters_;
  const IbccParameters ibcc_parameters_;
  const bool marks_;
  std::vector<DcqcnRule> dcqcn_rules_;  ///< by sender
  std::vector<double> lines_;           ///< by sender, bit/s
  // By pair; only the vector of `kind_` is filled.
  std::vector<Dcqcn> dcqcn_;
  std::vector<Hpcc> hpcc_;
  std::vector<Swift> swift_;
  std::vector<Timely> timely_;
  std::vector<Nscc> nscc_;
  std::vector<Ibcc> ibcc_;
  std::vector<PathFacts> paths_;  ///< by pair; only for swift and nscc
};

}  // namespace railyard::sim::packet
