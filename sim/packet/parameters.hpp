#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/units.hpp"

/// Parameters of the packet engine: defaults with their sources; configs/packet/*.json are presets.
namespace railyard::sim::packet {

/// What NICs and switches speak. roce: priority flow control or losses. ib: credits. uec and ndp:
/// packets over all paths, trimmed where a queue is full.
enum class Transport { roce, ib, uec, ndp };
/// ndp: packets that the receiver pulls one by one as packets arrive.
/// ibcc: the congestion control of InfiniBand.
enum class Congestion { none, dcqcn, hpcc, swift, timely, nscc, rccc, ndp, ibcc };
/// What a receiver does with packets that follow a lost one.
enum class Recovery { go_back_n, selective };
/// Queue of acknowledgements, notifications, pulls and trimmed packets in a port.
enum class ControlQueue { shared, strict, weighted };
/// How ports serve the queue of a class of data: before all classes behind it in the list, or with
/// a share of what strict classes leave (transmission selection of IEEE 802.1Q, section 8.6.8).
enum class Scheduling { strict, weighted };
/// What a switch does with a queue that was paused for too long: it loses its packets, or sends
/// them in spite of the pause.
enum class WatchdogAction { drop, forward };
/// How a queue pair chooses the path of a packet under --routing spray. reps: paths whose packets
/// came back without mark first (Bonato et al., "REPS: Recycled entropy packet spraying", 2024).
/// flowlet: the next path after each pause of `flowlet_gap` in sending, else the last one (Vanini
/// et al., "Let it flow", NSDI 2017, section 2). skip_marked: in turn, without paths that had marks
/// or losses (SkippedPaths). mixed: as reps, and as skip_marked where no path is known to be good.
enum class PathChoice { in_turn, reps, flowlet, skip_marked, mixed };
/// Whether senders remember good paths, bad paths, either.
[[nodiscard]] constexpr bool recycles_paths(PathChoice choice) {
  return choice == PathChoice::reps || choice == PathChoice::mixed;
}
[[nodiscard]] constexpr bool skips_paths(PathChoice choice) {
  return choice == PathChoice::skip_marked || choice == PathChoice::mixed;
}
[[nodiscard]] constexpr bool heeds_marks(PathChoice choice) {
  return recycles_paths(choice) || skips_paths(choice);
}

/// Marking probability of a queue of q bytes: 0 up to k_min, p_max * (q - k_min) / (k_max - k_min)
/// up to k_max, 1 above. Defaults: HPCC (Li et al., SIGCOMM 2019, section 5.1) for DCQCN, 100 KB
/// and 400 KB per 25 Gb/s; the thresholds scale with the rate of the port.
struct EcnParameters {
  Bytes k_min{100'000};
  Bytes k_max{400'000};
  double p_max = 0.2;
  Bandwidth reference = Bandwidth::gigabits_per_second(25);  ///< rate that k_min and k_max are for
};

/// A class of data: in each port of NICs and switches a queue of its own, with its own pauses
/// (IEEE 802.1Qbb), marks and count of bytes.
struct TrafficClass {
  Scheduling scheduling = Scheduling::strict;
  int weight = 1;  ///< weighted: share of the bytes relative to other weighted classes
  std::optional<bool> lossless{};      ///< not set: SwitchParameters::lossless
  std::optional<double> alpha{};       ///< not set: SwitchParameters::alpha
  std::optional<EcnParameters> ecn{};  ///< not set: SwitchParameters::ecn
};

/// The watchdog of pauses of SONiC (sonic-net/sonic-mgmt, docs/pfcwd/PFCWD_MMU_Change.md): a queue
/// of a switch that is paused for `detection` without a break is in a storm. Its pauses then count
/// for nothing, until none has been in effect for `restoration`. Defaults: `config pfcwd start` of
/// SONiC (200 ms; twice the detection time).
struct WatchdogParameters {
  Time detection = Time::milliseconds(200);
  std::optional<Time> restoration{};  ///< not set: twice the detection time
  WatchdogAction action = WatchdogAction::drop;
};

/// A switch whose ports share one packet buffer.
struct SwitchParameters {
  bool lossless = true;  ///< priority flow control; false: packets beyond the threshold are lost
  bool cut_through = true;
  Bytes buffer{32 << 20};  ///< of a switch; 32 MB of Tomahawk 3-class switches (HPCC, section 5.1)
  /// Dynamic threshold (Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory
  /// packet switches", IEEE/ACM ToN 6(2), 1998): a port may hold alpha * (free shared buffer).
  /// Lossless: per input, 1/8 as HPCC's simulator. Lossy: per output.
  double alpha = 0.125;
  Bytes reserved{4096};             ///< of each input, beside the shared buffer
  std::optional<Bytes> headroom{};  ///< of each input; not set: what its link needs (headroom_of)
  /// Lossy: most bytes that wait at an output, beside the threshold.
  std::optional<Bytes> queue{};
  /// Lossy: the same of the control queue; not set: `queue`. Broadcom's csg-htsim
  /// (sim/compositequeue.cpp) takes twice the queue of data.
  std::optional<Bytes> control_queue{};
  /// Packets for a full queue lose their payload and go on (Cheng et al., "Catch the whole lot in
  /// an action", NSDI 2014; Handley et al., "Re-architecting datacenter networks and stacks for low
  /// latency and high performance", SIGCOMM 2017 (NDP), section 3.1).
  bool trim = false;
  Bytes trimmed_bytes{84};  ///< on the wire: a minimum Ethernet frame of 64, preamble and gap of 20
  double trim_tail = 0.5;   ///< share that trims the last waiting packet instead (NDP, section 3.1)
  /// A trimmed packet that finds the control queue full goes back to its sender instead of being
  /// lost (NDP, section 3.2.4).
  bool return_to_sender = false;
  ControlQueue control = ControlQueue::shared;
  int control_weight = 10;              ///< packets of control per data packet (NDP, section 3.1)
  std::vector<TrafficClass> classes{};  ///< of data; empty: one
  /// InfiniBand: buffer of an input by lane, whose free blocks of 64 bytes its sender knows
  /// (InfiniBand Architecture Specification 1.4, section 7.9). Set: no pauses, no losses.
  std::optional<Bytes> credits{};
  Bytes resume_gap{3072};  ///< below the threshold, at which a paused input resumes
  Time pause_reaction{};   ///< from the end of a pause frame to its effect
  std::optional<WatchdogParameters> watchdog{};  ///< of pauses; not set: none
  EcnParameters ecn{};
};

/// DCQCN (Zhu et al., "Congestion control for large-scale RDMA deployments", SIGCOMM 2015, sections
/// 3 and 5; defaults of its figure 7 and table in section 5). decrease_interval 0: the rate is cut
/// by every CNP; else at most once an interval, as the firmware's monitor period does, and alpha is
/// updated by its timer alone.
struct DcqcnParameters {
  double g = 1.0 / 256;
  Time alpha_timer = Time::microseconds(55);
  Time increase_timer = Time::microseconds(55);
  Bytes byte_counter{10'000'000};  ///< 0: none
  int fast_recovery = 5;           ///< steps
  Bandwidth additive_increase = Bandwidth::megabits_per_second(40);
  Bandwidth hyper_increase = Bandwidth::megabits_per_second(400);
  Bandwidth minimum_rate = Bandwidth::megabits_per_second(40);
  Time cnp_interval = Time::microseconds(50);  ///< of a receiver, per queue pair
  Time decrease_interval{};
  /// Whether a cut sets the target rate even where the rate has not increased since the last cut.
  bool clamp_target = true;
};

/// HPCC (Li et al., "HPCC: High precision congestion control", SIGCOMM 2019; eta and max_stage:
/// section 5.1; flows: W_AI = W_init (1 - eta) / N of section 3.3 with an N of our choice).
struct HpccParameters {
  double eta = 0.95;
  int max_stage = 5;
  double flows = 100;
  std::optional<Time> base_rtt{};  ///< not set: that of the path
  Bandwidth minimum_rate = Bandwidth::megabits_per_second(100);
  bool rounded_records = false;  ///< records of switches in the units of their header (rounded)
};

/// Swift (Kumar et al., "Swift: Delay is simple and effective for congestion control in the
/// datacenter", SIGCOMM 2020). The gains are those of the htsim of its line (Broadcom/csg-htsim,
/// sim/swift.cpp); queueing and scaling_range are of our choice.
struct SwiftParameters {
  Time queueing = Time::microseconds(2);
  Time scaling_range = Time::microseconds(10);
  double scaling_from = 0.1, scaling_to = 100;  ///< packets
  double additive = 1;                          ///< packets per round trip
  double beta = 0.8;
  double max_decrease = 0.5;
  double minimum_window = 0.01;  ///< packets
};

/// TIMELY (Mittal et al., "TIMELY: RTT-based congestion control for the datacenter", SIGCOMM 2015;
/// values as in Zhu et al., "ECN or delay", CoNEXT 2016, section 4; patched: beta 0.008 there).
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

/// NSCC of Ultra Ethernet (UE Specification 1.0, section 3.6.13, table 3-82; the constants of a
/// reference network of 100 Gb/s and 12 us scale with bandwidth-delay product and target delay).
struct NsccParameters {
  std::optional<Time> network_rtt{};  ///< longest base round-trip time; not set: that of the path
  double target = 0.75;               ///< queueing delay, in network_rtt
  double largest_window = 1.5;        ///< in bandwidth-delay products
  double gamma = 0.8;                 ///< gain of the multiplicative decrease
  double proportional = 4;            ///< packets
  double fair_increase = 5;           ///< packets
  double eta = 0.15;                  ///< packets
  double fast_increase = 0.25;        ///< packets per packet
  int quick_adapt_gate = 3;           ///< Quick Adapt below largest window / 2^gate
  double quick_adapt_delay = 4;       ///< in target delays
  double delay_gain = 0.0125;         ///< weight of a new delay
  int adjust_packets = 8;             ///< acknowledged packets after which increases take effect
};

/// The rate of pulls of RCCC in oversubscribed networks (PullRate). Gains and target: uet-htsim,
/// htsim/sim/oversubscribed_cc.cpp.
struct RcccParameters {
  /// Of the network, for example 2 where leaves have half of their rate towards spines. Set: the
  /// rate adapts, down to 0.75 / oversubscription of the port's rate. Not set: a port pulls at its
  /// rate.
  std::optional<double> oversubscription{};
  std::optional<Time> interval{};  ///< not set: the base round-trip time of its first queue pair
  double target = 0.3;             ///< share of marked packets
  double gain = 0.5;               ///< weight of a new share
  double additive = 0.01;          ///< of the port's rate
  double decrease = 0.5;
};

/// Congestion control of InfiniBand (InfiniBand Architecture Specification 1.4, annex A10).
/// increase: default of NVIDIA's congestion control manager (OFED user manual 2.3,
/// section 3.2.2.8.1); the others, and a table that grows linearly, are of our choice.
struct IbccParameters {
  int increase = 1;  ///< of the index at a BECN
  int limit = 127;   ///< of the index
  double slope = 1;  ///< packet times that the delay after a packet grows by per index
  Time timer = Time::microseconds(150);  ///< after which the index falls by 1
};

/// A NIC.
struct NicParameters {
  /// Packets of a message after which the receiver acknowledges; always after the last one. Linux
  /// asks mlx5 devices for one in 2^8 (MLX5_IB_ACK_REQ_FREQ in drivers/infiniband/hw/mlx5/qp.c).
  /// Not set: 256 for none and DCQCN, 1 for controls that need the round-trip time.
  std::optional<int> ack_interval{};
  Bytes ack_bytes{84};      ///< on the wire: a minimum Ethernet frame of 64, preamble and gap of 20
  Time message_gap{};       ///< least time between the starts of two messages of a queue pair
  Time port_message_gap{};  ///< least time between the starts of two messages of a port
  Time message_latency{};   ///< from the doorbell to the first packet
  /// Data that a NIC receives at most, headers included, over all its ports: what its PCIe link or
  /// its packet processing takes. Not set: what its ports carry (Ingress).
  std::optional<Bandwidth> ingress_rate{};
  Time ingress_gap{};  ///< least time per data packet that a NIC receives: 1 / its packet rate
  /// Data that a NIC has received and not taken yet; not set: ingress_buffer_of.
  std::optional<Bytes> ingress_buffer{};
  /// RDMA reads of a queue pair whose response is not complete (max_rd_atomic of verbs): 16, the
  /// most of mlx5 devices, which perftest uses (-o).
  int outstanding_reads = 16;
  Time read_latency{};  ///< of a responder: from a read request to the first packet of its response
  std::optional<Bytes>
      window{};  ///< most unacknowledged payload of a queue pair; not set: no limit
  /// 4.096 us * 2^14, the default time-out exponent of perftest (InfiniBand Architecture
  /// Specification 1.4, section 9.7.6.1.3).
  Time retransmit_timeout = Time::nanoseconds(67'108'864);
  /// The time-out of a queue pair that has made progress since the last one; each further one is
  /// twice as long, up to retransmit_timeout (NVIDIA, "Adaptive Retransmission: Parameters
  /// Control", algorithm). Not set: retransmit_timeout.
  std::optional<Time> first_timeout{};
  int paths = 64;  ///< spray: paths that a queue pair uses
  PathChoice path_choice = PathChoice::in_turn;
  /// A pause in sending after which a flowlet begins; 500 us in "Let it flow", section 5, for round
  /// trips of a software host. Longer than the difference of the queueing delays of two paths, so
  /// that packets keep their order.
  Time flowlet_gap = Time::microseconds(50);
  Recovery recovery = Recovery::go_back_n;
  /// Class of the transfers of collectives (NCCL_IB_TC sets it); messages choose theirs.
  int collective_class = 0;
  /// rccc, ndp: what an idle queue pair sends before the first pull; not set: line rate times base
  /// round-trip time.
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
  /// Largest difference of a device's clock from its rate, as a share (with_clocks); IEEE 802.3
  /// allows 1e-4.
  double clock_tolerance = 0;
};

/// Whether a NIC receives less than its ports carry.
[[nodiscard]] constexpr bool limits_ingress(const NicParameters& nic) {
  return nic.ingress_rate || nic.ingress_gap > Time();
}
/// 262,016 B: the port buffer that Mellanox' drivers report ("HowTo Tune Receive Buffers on
/// Mellanox Adapter Cards", community.mellanox.com, DOC-2933).
[[nodiscard]] constexpr Bytes ingress_buffer_of(const NicParameters& nic) {
  return nic.ingress_buffer.value_or(Bytes(262'016));
}

/// Whether a congestion control measures one path: round-trip times of its acknowledged packets.
[[nodiscard]] constexpr bool needs_round_trips(Congestion congestion) {
  return congestion == Congestion::hpcc || congestion == Congestion::swift ||
         congestion == Congestion::timely;
}
/// Whether the receiver grants packets.
[[nodiscard]] constexpr bool is_pulled(Congestion congestion) {
  return congestion == Congestion::rccc || congestion == Congestion::ndp;
}

/// Whether a requester acknowledges the packets of responses to its reads, and a responder those of
/// requests, as IRN does (Mittal et al., SIGCOMM 2018, section 5): selective repeat and controls by
/// round-trip times need it. Otherwise nobody acknowledges them, as in InfiniBand.
[[nodiscard]] constexpr bool acknowledges_reads(const Parameters& parameters) {
  return parameters.nic.recovery == Recovery::selective || needs_round_trips(parameters.congestion);
}

/// Queues of a port, at most kMostQueues as IEEE 802.1Q has priorities: one for each class of data,
/// then one for control unless control shares those of data.
inline constexpr std::size_t kMostQueues = 8;
[[nodiscard]] std::size_t class_count(const SwitchParameters& switches);
[[nodiscard]] std::size_t queue_count(const SwitchParameters& switches);
/// Whether a queue is lossless: that of a class, or that of control, which comes behind them.
[[nodiscard]] bool is_lossless(const SwitchParameters& switches, std::size_t queue);
/// Whether packets of a class of data may be lost.
[[nodiscard]] bool loses_data(const SwitchParameters& switches);
/// Threshold over free shared buffer of a queue.
[[nodiscard]] double alpha_of(const SwitchParameters& switches, std::size_t queue);
/// Marks of a queue.
[[nodiscard]] const EcnParameters& ecn_of(const SwitchParameters& switches, std::size_t queue);

/// Packets per acknowledgement.
[[nodiscard]] int ack_interval_of(const Parameters& parameters);

/// The cable of an input, as headroom_of needs it. `packet` and `pause_frame` are wire bytes.
struct PausedLink {
  Bandwidth rate, back;  ///< of the input, and of the reverse link
  Time round_trip;       ///< latencies there and back
  Time reaction;
  Bytes packet, pause_frame;
};

/// Bytes of headroom after which nothing is lost: the packet that crosses the threshold; what the
/// link carries in the latencies there and back and the reaction, and while the pause frame waits
/// for a packet on the wire back and is sent; and the packet that has just begun when the pause
/// takes effect (IEEE 802.1Qbb, annex O).
///
///     rate (round_trip + reaction) + rate / back (packet + pause_frame) + 2 packet
[[nodiscard]] Bytes headroom_of(const PausedLink& link);

}  // namespace railyard::sim::packet
