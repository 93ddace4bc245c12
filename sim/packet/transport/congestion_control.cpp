#include "sim/packet/transport/congestion_control.hpp"

#include <algorithm>
#include <cmath>

namespace railyard::sim::packet {

CongestionControl::CongestionControl(const Parameters& parameters)
    : kind_(parameters.congestion),
      hpcc_parameters_(parameters.hpcc),
      swift_parameters_(parameters.swift),
      timely_parameters_(parameters.timely),
      dcqcn_parameters_(parameters.dcqcn),
      nscc_parameters_(parameters.nscc),
      ibcc_parameters_(parameters.ibcc),
      marks_(kind_ == Congestion::dcqcn || kind_ == Congestion::nscc || kind_ == Congestion::ibcc ||
             heeds_marks(parameters.nic.path_choice) ||
             parameters.rccc.oversubscription.has_value()) {}

void CongestionControl::add_sender(Bandwidth rate) {
  dcqcn_rules_.emplace_back(dcqcn_parameters_, rate);
}

void CongestionControl::add_pair(std::uint32_t sender, const PathFacts& path) {
  switch (kind_) {
    case Congestion::none:
    case Congestion::rccc:
    case Congestion::ndp: lines_.push_back(path.line_rate); return;
    case Congestion::nscc:
      nscc_.emplace_back(nscc_parameters_, path);
      paths_.push_back(path);
      return;
    case Congestion::dcqcn: dcqcn_.emplace_back(dcqcn_rules_[sender].line); return;
    case Congestion::ibcc: ibcc_.emplace_back(path.line_rate); return;
    case Congestion::hpcc: hpcc_.emplace_back(hpcc_parameters_, path); return;
    case Congestion::timely: timely_.emplace_back(path); return;
    case Congestion::swift:
      swift_.emplace_back(swift_parameters_, path);
      paths_.push_back(path);
      return;
  }
}

void CongestionControl::change_path(std::uint32_t pair, const PathFacts& path) {
  if (kind_ == Congestion::hpcc) hpcc_[pair].change_path(hpcc_parameters_, path);
  if (kind_ == Congestion::swift) {
    swift_[pair].change_path(swift_parameters_, path);
    paths_[pair] = path;
  }
}

void CongestionControl::congestion(std::uint32_t pair, std::uint32_t sender, std::int64_t now) {
  if (kind_ == Congestion::ibcc) {
    ibcc_[pair].advance(ibcc_parameters_, now);
    ibcc_[pair].congestion(ibcc_parameters_, now);
  }
  if (kind_ != Congestion::dcqcn) return;
  dcqcn_[pair].advance(dcqcn_rules_[sender], now);
  dcqcn_[pair].congestion(dcqcn_rules_[sender], now);
}

void CongestionControl::acknowledged(std::uint32_t pair, const Feedback& feedback,
                                     std::span<HopRecord> previous) {
  switch (kind_) {
    case Congestion::none:
    case Congestion::rccc:
    case Congestion::ndp:
    case Congestion::ibcc:
    case Congestion::dcqcn: return;
    case Congestion::nscc: return nscc_[pair].acknowledged(nscc_parameters_, feedback);
    case Congestion::hpcc: return hpcc_[pair].acknowledged(hpcc_parameters_, feedback, previous);
    case Congestion::swift: return swift_[pair].acknowledged(swift_parameters_, feedback);
    case Congestion::timely: timely_[pair].acknowledged(timely_parameters_, feedback); return;
  }
}

void CongestionControl::lost(std::uint32_t pair, std::int64_t now, std::uint32_t on_the_way) {
  if (kind_ == Congestion::nscc)
    nscc_[pair].lost(nscc_parameters_, now, static_cast<double>(on_the_way) * paths_[pair].wire);
  if (kind_ == Congestion::swift) swift_[pair].lost(swift_parameters_, now);
}

double CongestionControl::rate(std::uint32_t pair) const {
  switch (kind_) {
    case Congestion::none:
    case Congestion::rccc:
    case Congestion::ndp: return lines_[pair];
    case Congestion::nscc: return paths_[pair].line_rate;
    case Congestion::dcqcn: return dcqcn_[pair].rate();
    case Congestion::ibcc: return ibcc_[pair].rate(ibcc_parameters_);
    case Congestion::hpcc: return hpcc_[pair].rate();
    case Congestion::timely: return timely_[pair].rate();
    case Congestion::swift: break;
  }
  const std::int64_t gap = swift_[pair].gap();
  const double line = paths_[pair].line_rate;
  if (gap == 0) return line;
  return std::min(line, paths_[pair].mtu * 8e12 / static_cast<double>(gap));
}

std::uint64_t CongestionControl::window(std::uint32_t pair) const {
  // A packet is sent while fewer bytes than the window are in flight. HPCC's window is thereby
  // rounded up to whole packets, as in its simulator. Swift's window counts packets and is rounded
  // down.
  if (kind_ == Congestion::hpcc)
    return static_cast<std::uint64_t>(std::max(1.0, hpcc_[pair].window()));
  // NSCC sends if a whole packet fits into its window, which is in wire bytes.
  if (kind_ == Congestion::nscc)
    return static_cast<std::uint64_t>(nscc_[pair].window() / paths_[pair].wire) * paths_[pair].mtu;
  if (kind_ != Congestion::swift) return kNoWindow;
  return static_cast<std::uint64_t>(std::max(1.0, std::floor(swift_[pair].window()))) *
         paths_[pair].mtu;
}

std::size_t CongestionControl::pair_bytes(Congestion kind, std::size_t packets) {
  switch (kind) {
    case Congestion::none:
    case Congestion::rccc:
    case Congestion::ndp: return sizeof(double);
    case Congestion::nscc: return sizeof(Nscc) + sizeof(PathFacts);
    case Congestion::dcqcn: return sizeof(Dcqcn);
    case Congestion::ibcc: return sizeof(Ibcc);
    // At most 6 switch ports on a path (docs/models/routing.md).
    case Congestion::hpcc: return sizeof(Hpcc) + packets * (8 + 6 * sizeof(HopRecord));
    case Congestion::swift: return sizeof(Swift) + sizeof(PathFacts) + packets * 8;
    case Congestion::timely: return sizeof(Timely) + packets * 8;
  }
  return 0;
}

}  // namespace railyard::sim::packet
