#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

/// Parameters of the packet engine, with defaults and their sources. configs/packet/*.json are
/// presets.
namespace railyard::sim::packet {

/// The transport of NICs and switches. roce: lossless with priority flow control, or lossy. ib:
/// credit-based flow control. uec and ndp: packets over all paths; a full queue trims packets.
enum class Transport { roce, ib, uec, ndp };
/// Congestion control. ndp: the receiver pulls one packet for each packet that arrives. ibcc: the
/// congestion control of InfiniBand.
enum class Congestion { none, dcqcn, hpcc, swift, timely, nscc, rccc, ndp, ibcc };
/// How packets after a lost one are handled: go_back_n discards them, selective keeps them.
enum class Recovery { go_back_n, selective };
/// The queue of control packets (acknowledgements, CNPs, pulls, trimmed packets) in a port: shared
/// with data, or separate with strict priority or a weight.
enum class ControlQueue { shared, strict, weighted };
/// How ports serve the queue of a data class: before all later classes of the list (strict), or
/// with a share of the rate that strict classes leave (weighted); transmission selection of IEEE
/// 802.1Q, section 8.6.8.
enum class Scheduling { strict, weighted };
/// What a switch does with a queue that was paused for too long: it discards the packets of the
/// queue, or sends them despite the pause.
enum class WatchdogAction { drop, forward };
/// How a queue pair chooses the path of a packet under --routing spray.
///   in_turn:     all paths in turn
///   reps:        first paths whose packets returned without a mark (Bonato et al., "REPS: Recycled
///                entropy packet spraying", 2024)
///   flowlet:     the next path after each pause of `flowlet_gap` in sending, otherwise the same
///                path (Vanini et al., "Let it flow", NSDI 2017, section 2)
///   skip_marked: in turn, without paths that had marks or losses (SkippedPaths)
///   mixed:       like reps; if no path is known to be good, like skip_marked
enum class PathChoice { in_turn, reps, flowlet, skip_marked, mixed };
/// Whether senders remember good paths; bad paths; either of the two.
[[nodiscard]] constexpr bool recycles_paths(PathChoice choice) {
  return choice == PathChoice::reps || choice == PathChoice::mixed;
}
[[nodiscard]] constexpr bool skips_paths(PathChoice choice) {
  return choice == PathChoice::skip_marked || choice == PathChoice::mixed;
}
[[nodiscard]] constexpr bool heeds_marks(PathChoice choice) {
  return recycles_paths(choice) || skips_paths(choice);
}

/// ECN marking. The marking probability of a queue of q bytes is 0 up to k_min, p_max * (q - k_min)
/// / (k_max - k_min) up to k_max, and 1 above. Defaults: HPCC (Li et al., SIGCOMM 2019, section
/// 5.1) for DCQCN, 100 KB and 400 KB at 25 Gb/s. The thresholds scale with the rate of the port.
struct EcnParameters {
  Bytes k_min{100'000};
  Bytes k_max{400'000};
  double p_max = 0.2;
  Bandwidth reference = Bandwidth::gigabits_per_second(25);  ///< port rate to which k_min and k_max
                                                             ///< refer
};

/// A class of data. It has its own queue in each port of NICs and switches, with its own pauses
/// (IEEE 802.1Qbb), marks and byte count.
struct TrafficClass {
  Scheduling scheduling = Scheduling::strict;
  int weight = 1;  ///< weighted: share of the bytes relative to other weighted classes
  std::optional<bool> lossless{};      ///< not set: SwitchParameters::lossless
  std::optional<double> alpha{};       ///< not set: SwitchParameters::alpha
  std::optional<EcnParameters> ecn{};  ///< not set: SwitchParameters::ecn
};

/// The pause watchdog of SONiC (sonic-net/sonic-mgmt, docs/pfcwd/PFCWD_MMU_Change.md). A switch
/// queue that is paused for `detection` without interruption is in a storm. Its pauses are then
/// ignored until no pause was in effect for `restoration`. Defaults: `config pfcwd start` of SONiC
/// (200 ms; twice the detection time).
struct WatchdogParameters {
  Time detection = Time::milliseconds(200);
  std::optional<Time> restoration{};  ///< not set: twice the detection time
  WatchdogAction action = WatchdogAction::drop;
};

/// A switch whose ports share one packet buffer.
struct SwitchParameters {
  bool lossless = true;  ///< priority flow control; false: packets beyond the threshold are lost
  bool cut_through = true;
  Bytes buffer{32 << 20};  ///< per switch; 32 MB of Tomahawk 3-class switches (HPCC, section 5.1)
  /// Dynamic threshold (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory
  /// packet switches", IEEE/ACM ToN 6(2), 1998): an input (lossless) or output (lossy) may hold
  /// alpha * (free shared buffer). The default is that of HPCC's simulator.
  double alpha = 0.125;
  Bytes reserved{4096};             ///< per input, in addition to the shared buffer
  std::optional<Bytes> headroom{};  ///< per input; not set: what its link needs (headroom_of)
  /// Lossy: largest number of waiting bytes of an output, in addition to the threshold.
  std::optional<Bytes> queue{};
  /// Lossy: the same for the control queue; not set: equal to `queue`. Broadcom's csg-htsim
  /// (sim/compositequeue.cpp) uses twice the queue of data.
  std::optional<Bytes> control_queue{};
  /// Trimming: a packet that finds a full queue loses its payload and is forwarded (Cheng et al.,
  /// "Catch the whole lot in an action", NSDI 2014; Handley et al., "Re-architecting datacenter
  /// networks and stacks for low latency and high performance", SIGCOMM 2017 (NDP), section 3.1).
  bool trim = false;
  Bytes trimmed_bytes{84};  ///< on the wire: a minimum Ethernet frame of 64, preamble and gap of 20
  double trim_tail = 0.5;   ///< probability to trim the last waiting packet instead of the arriving
                            ///< one (NDP, section 3.1)
  /// Return a trimmed packet to its sender if the control queue is full, instead of losing it (NDP,
  /// section 3.2.4).
  bool return_to_sender = false;
  ControlQueue control = ControlQueue::shared;
  int control_weight = 10;              ///< control packets per data packet (NDP, section 3.1)
  std::vector<TrafficClass> classes{};  ///< classes of data; empty: one class
  /// InfiniBand: buffer per input and lane. Its sender tracks the number of free blocks of 64 bytes
  /// (InfiniBand Architecture Specification 1.4, section 7.9). If set, there are no pauses and no
  /// losses.
  std::optional<Bytes> credits{};
  Bytes resume_gap{3072};  ///< a paused input resumes this far below the threshold
  Time pause_reaction{};   ///< from the end of a pause frame to its effect
  std::optional<WatchdogParameters> watchdog{};  ///< of pauses; not set: no watchdog
  EcnParameters ecn{};
};

/// DCQCN (Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015, sections
/// 3 and 5; defaults of its figure 7 and of the table in section 5). With decrease_interval 0 every
/// CNP cuts the rate. Otherwise the rate is cut at most once per interval, like the monitor period
/// of the firmware, and alpha is updated only by its timer.
struct DcqcnParameters {
  double g = 1.0 / 256;
  Time alpha_timer = Time::microseconds(55);
  Time increase_timer = Time::microseconds(55);
  Bytes byte_counter{10'000'000};  ///< bytes per rate increase; 0: no byte counter
  int fast_recovery = 5;           ///< number of steps
  Bandwidth additive_increase = Bandwidth::megabits_per_second(40);
  Bandwidth hyper_increase = Bandwidth::megabits_per_second(400);
  Bandwidth minimum_rate = Bandwidth::megabits_per_second(40);
  Time cnp_interval = Time::microseconds(50);  ///< of a receiver, per queue pair
  Time decrease_interval{};
  /// Whether a cut sets the target rate even if the rate has not increased since the last cut.
  bool clamp_target = true;
};

/// HPCC (Li et al., "HPCC: High precision congestion control", SIGCOMM 2019). eta and max_stage:
/// section 5.1. flows: N in W_AI = W_init (1 - eta) / N of section 3.3; the value is our choice.
struct HpccParameters {
  double eta = 0.95;
  int max_stage = 5;
  double flows = 100;
  std::optional<Time> base_rtt{};  ///< not set: that of the path
  Bandwidth minimum_rate = Bandwidth::megabits_per_second(100);
  bool rounded_records = false;  ///< records of switches have the units of their header fields
                                 ///< (rounded())
};

/// Swift (Kumar et al., "Swift: Delay is simple and effective for congestion control in the
/// datacenter", SIGCOMM 2020). The gains are those of Broadcom/csg-htsim (sim/swift.cpp). queueing
/// and scaling_range are our choice.
struct SwiftParameters {
  Time queueing = Time::microseconds(2);
  Time scaling_range = Time::microseconds(10);
  double scaling_from = 0.1, scaling_to = 100;  ///< packets
  double additive = 1;                          ///< packets per round trip
  double beta = 0.8;
  double max_decrease = 0.5;
  double minimum_window = 0.01;  ///< packets
};

/// TIMELY (Mittal et al., "TIMELY: RTT-based congestion control for the datacenter", SIGCOMM 2015).
/// Values as in Zhu et al., "ECN or delay", CoNEXT 2016, section 4, which uses beta 0.008 with
/// `patched`.
struct TimelyParameters {
  Time low = Time::microseconds(50);
  Time high = Time::microseconds(500);
  Bandwidth additive_increase = Bandwidth::megabits_per_second(10);
  double gain = 0.875;
  double beta = 0.8;
  Bytes segment{16'000};
  Bandwidth minimum_rate = Bandwidth::megabits_per_second(10);
  bool patched = false;
  Time reference = Time::microseconds(100);
};

/// NSCC of Ultra Ethernet (UE Specification 1.0, section 3.6.13, table 3-82). Its constants are for
/// a reference network of 100 Gb/s and 12 us, and scale with bandwidth-delay product and target
/// delay.
struct NsccParameters {
  std::optional<Time> network_rtt{};  ///< longest base round-trip time; not set: that of the path
  double target = 0.75;               ///< target queueing delay / network_rtt
  double largest_window = 1.5;        ///< in bandwidth-delay products
  double gamma = 0.8;                 ///< gain of the multiplicative decrease
  double proportional = 4;            ///< packets
  double fair_increase = 5;           ///< packets
  double eta = 0.15;                  ///< packets
  double fast_increase = 0.25;        ///< packets per packet
  int quick_adapt_gate = 3;           ///< Quick Adapt acts below largest window / 2^gate
  double quick_adapt_delay = 4;       ///< multiple of the target delay
  double delay_gain = 0.0125;         ///< weight of a new delay in the average
  int adjust_packets = 8;             ///< acknowledged packets after which increases take effect
};

/// The pull rate of RCCC in oversubscribed networks (PullRate). Source of gains and target:
/// uet-htsim, htsim/sim/oversubscribed_cc.cpp.
struct RcccParameters {
  /// Oversubscription of the network, for example 2 if leaves have half of their rate towards
  /// spines. If set, the rate adapts, down to 0.75 / oversubscription of the port's rate. If not, a
  /// port pulls at its full rate.
  std::optional<double> oversubscription{};
  std::optional<Time> interval{};  ///< not set: the base round-trip time of its first queue pair
  double target = 0.3;             ///< share of marked packets
  double gain = 0.5;               ///< weight of a new share
  double additive = 0.01;          ///< fraction of the port's rate
  double decrease = 0.5;
};

/// Congestion control of InfiniBand (InfiniBand Architecture Specification 1.4, annex A10).
/// increase: default of NVIDIA's congestion control manager (OFED user manual 2.3, section
/// 3.2.2.8.1). The other values, and a table that grows linearly, are our choice.
struct IbccParameters {
  int increase = 1;                      ///< increase of the table index at a BECN
  int limit = 127;                       ///< largest table index
  double slope = 1;                      ///< delay after a packet per table index, in packet times
  Time timer = Time::microseconds(150);  ///< after this time the index decreases by 1
};

/// A NIC.
struct NicParameters {
  /// Packets of a message per acknowledgement; the last packet is always acknowledged. Linux sets
  /// mlx5 devices to 2^8 (MLX5_IB_ACK_REQ_FREQ in drivers/infiniband/hw/mlx5/qp.c). Not set: see
  /// ack_interval_of().
  std::optional<int> ack_interval{};
  Bytes ack_bytes{84};      ///< on the wire: a minimum Ethernet frame of 64 bytes, preamble and gap
                            ///< of 20
  Time message_gap{};       ///< least time between the starts of two messages of a queue pair
  Time port_message_gap{};  ///< least time between the starts of two messages of a port
  Time message_latency{};   ///< from the doorbell to the first packet
  /// Largest rate at which a NIC receives data, headers included, over all its ports: the limit of
  /// its PCIe link or of its packet processing. Not set: the rate of its ports (Ingress).
  std::optional<Bandwidth> ingress_rate{};
  Time ingress_gap{};  ///< least time per data packet that a NIC receives: 1 / its packet rate
  /// Buffer for data that a NIC has received but not processed; not set: ingress_buffer_of.
  std::optional<Bytes> ingress_buffer{};
  /// Largest number of RDMA reads of a queue pair whose response is not complete (max_rd_atomic of
  /// verbs): 16, the maximum of mlx5 devices, which perftest uses (-o).
  int outstanding_reads = 16;
  Time read_latency{};  ///< of a responder: from a read request to the first packet of its response
  std::optional<Bytes>
      window{};  ///< most unacknowledged payload of a queue pair; not set: no limit
  /// 4.096 us * 2^14, the default time-out exponent of perftest (InfiniBand Architecture
  /// Specification 1.4, section 9.7.6.1.3).
  Time retransmit_timeout = Time::nanoseconds(67'108'864);
  /// First time-out of a queue pair after progress. Each further one is twice as long, up to
  /// retransmit_timeout (NVIDIA, "Adaptive Retransmission: Parameters Control", algorithm). Not
  /// set: every time-out is retransmit_timeout.
  std::optional<Time> first_timeout{};
  int paths = 64;  ///< spray: number of paths of a queue pair
  PathChoice path_choice = PathChoice::in_turn;
  /// A pause in sending of this length begins a new flowlet. It must be longer than the difference
  /// between the queueing delays of two paths, so that packets keep their order. "Let it flow",
  /// section 5, uses 500 us for round trips of software hosts.
  Time flowlet_gap = Time::microseconds(50);
  Recovery recovery = Recovery::go_back_n;
  /// Traffic class of collectives (as set by NCCL_IB_TC). Messages have their own.
  int collective_class = 0;
  /// rccc, ndp: bytes that an idle queue pair sends before the first pull; not set: line rate times
  /// base round-trip time.
  std::optional<Bytes> initial_window{};
};

struct Parameters {
  std::string source{};
  SwitchParameters switches{};
  NicParameters nic{};
  DcqcnParameters dcqcn{};
  HpccParameters hpcc{};
  SwiftParameters swift{};
  TimelyParameters timely{};
  NsccParameters nscc{};
  IbccParameters ibcc{};
  RcccParameters rccc{};
  Transport transport = Transport::roce;
  Congestion congestion = Congestion::dcqcn;
  /// Largest relative deviation of a device's clock (with_clocks). IEEE 802.3 allows 1e-4.
  double clock_tolerance = 0;
};

/// Whether the receive rate of NICs is limited below the rate of their ports.
[[nodiscard]] constexpr bool limits_ingress(const NicParameters& nic) {
  return nic.ingress_rate || nic.ingress_gap > Time();
}
/// The receive buffer of a NIC. Default: 262,016 B, the port buffer that Mellanox' drivers report
/// ("HowTo Tune Receive Buffers on Mellanox Adapter Cards", community.mellanox.com, DOC-2933).
[[nodiscard]] constexpr Bytes ingress_buffer_of(const NicParameters& nic) {
  return nic.ingress_buffer.value_or(Bytes(262'016));
}

/// Whether a congestion control needs the round-trip times of acknowledged packets, and thus one
/// path.
[[nodiscard]] constexpr bool needs_round_trips(Congestion congestion) {
  return congestion == Congestion::hpcc || congestion == Congestion::swift ||
         congestion == Congestion::timely;
}
/// Whether the receiver grants packets (pulls).
[[nodiscard]] constexpr bool is_pulled(Congestion congestion) {
  return congestion == Congestion::rccc || congestion == Congestion::ndp;
}

/// Whether requesters acknowledge the packets of read responses, and responders those of requests,
/// as in IRN (Mittal et al., SIGCOMM 2018, section 5). Selective repeat and congestion controls by
/// round-trip times need it. Otherwise they are not acknowledged, as in InfiniBand.
[[nodiscard]] constexpr bool acknowledges_reads(const Parameters& parameters) {
  return parameters.nic.recovery == Recovery::selective || needs_round_trips(parameters.congestion);
}

/// Queues of a port: one for each class of data, then one for control packets unless these share
/// the queues of data. At most kMostQueues, the number of priorities of IEEE 802.1Q.
inline constexpr std::size_t kMostQueues = 8;
[[nodiscard]] std::size_t class_count(const SwitchParameters& switches);
[[nodiscard]] std::size_t queue_count(const SwitchParameters& switches);
/// Whether a queue is lossless. Its index is that of a class, or the last one for control packets.
[[nodiscard]] bool is_lossless(const SwitchParameters& switches, std::size_t queue);
/// Whether packets of some data class may be lost.
[[nodiscard]] bool loses_data(const SwitchParameters& switches);
/// The alpha (threshold / free shared buffer) of a queue.
[[nodiscard]] double alpha_of(const SwitchParameters& switches, std::size_t queue);
/// The marking parameters of a queue.
[[nodiscard]] const EcnParameters& ecn_of(const SwitchParameters& switches, std::size_t queue);

/// Packets per acknowledgement: the parameter, or the default of the congestion control.
[[nodiscard]] int ack_interval_of(const Parameters& parameters);

/// The link of an input, for headroom_of(). `packet` and `pause_frame` are wire bytes.
struct PausedLink {
  Bandwidth rate, back;  ///< of the input, and of the reverse link
  Time round_trip;       ///< latencies in both directions
  Time reaction;
  Bytes packet, pause_frame;
};

/// The headroom in bytes with which no packet is lost after a pause (IEEE 802.1Qbb, annex O). It is
/// the sum of: the packet that crosses the threshold; the bytes that the link carries during the
/// latencies in both directions and the reaction time, and while the pause frame waits for a packet
/// on the reverse link and is sent; and the packet that has just begun when the pause takes effect.
///
///     rate (round_trip + reaction) + rate / back (packet + pause_frame) + 2 packet
[[nodiscard]] Bytes headroom_of(const PausedLink& link);

}  // namespace railyard::sim::packet
