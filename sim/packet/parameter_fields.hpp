#pragma once

#include "core/config/fields.hpp"
#include "sim/packet/parameter_names.hpp"
#include "sim/packet/parameters.hpp"

namespace railyard {

template <>
struct core::Fields<sim::packet::EcnParameters> {
  using T = sim::packet::EcnParameters;
  static constexpr std::string_view name = "Ecn", doc = "Marks of switches.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("k_min", &T::k_min, "queue up to which nothing is marked [100 KB: HPCC, section 5.1]");
    field("k_max", &T::k_max, "queue above which everything is marked [400 KB: HPCC, section 5.1]");
    field("p_max", &T::p_max, core::FieldOptions{.minimum = 0, .maximum = 1},
          "marking probability at k_max [0.2: HPCC, section 5.1]");
    field("reference", &T::reference,
          "port rate that k_min and k_max are for; they scale with the rate [25 Gb/s]");
  }
  static void check(const T& ecn, core::Problems& problems) {
    if (ecn.k_max < ecn.k_min) problems.add("k_max", "must be at least k_min");
  }
};

template <>
struct core::Fields<sim::packet::TrafficClass> {
  using T = sim::packet::TrafficClass;
  static constexpr std::string_view name = "TrafficClass",
                                    doc =
                                        "A class of data with a queue in each port (IEEE 802.1Q).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("scheduling", &T::scheduling,
          "strict: before all classes behind it in the list; weighted: a share of what strict "
          "classes leave [strict]");
    field("weight", &T::weight, core::FieldOptions{.minimum = 1, .maximum = 1 << 16},
          "weighted: share of the bytes, relative to the other weighted classes [1]");
    field("lossless", &T::lossless,
          "pauses for this class; false: its packets above the threshold are lost; left out: as "
          "switches.lossless");
    field("alpha", &T::alpha, core::FieldOptions{.minimum = 1e-6, .maximum = 1e6},
          "threshold over free shared buffer: of an input, lossy: of an output; left out: as "
          "switches.alpha");
    field("ecn", &T::ecn, "marks of this class; left out: as switches.ecn");
  }
};

template <>
struct core::Fields<sim::packet::WatchdogParameters> {
  using T = sim::packet::WatchdogParameters;
  static constexpr std::string_view name = "Watchdog",
                                    doc = "Watchdog of pauses in switches (SONiC).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("detection", &T::detection, core::FieldOptions{.minimum = 1e-9},
          "time that a queue is paused without a break before its pauses are ignored [200 ms: "
          "SONiC]");
    field("restoration", &T::restoration, core::FieldOptions{.minimum = 1e-9},
          "time without a pause before pauses count again; left out: twice the detection time "
          "(SONiC)");
    field("action", &T::action,
          "meanwhile: drop (packets of the queue are lost) or forward (they are sent in spite of "
          "the pause) [drop: SONiC]");
  }
};

template <>
struct core::Fields<sim::packet::SwitchParameters> {
  using T = sim::packet::SwitchParameters;
  static constexpr std::string_view name = "PacketSwitches", doc = "Switches of the fabric.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("lossless", &T::lossless,
          "priority flow control; false: packets above the threshold are lost [true]");
    field("cut_through", &T::cut_through,
          "pass packets on before their end has arrived; false: store and forward [true]");
    field("buffer", &T::buffer, "packet buffer of a switch [32 MiB: HPCC, section 5.1]");
    field("alpha", &T::alpha, core::FieldOptions{.minimum = 1e-6, .maximum = 1e6},
          "threshold over free shared buffer: of an input, lossy: of an output [1/8: HPCC's "
          "simulator]");
    field("reserved", &T::reserved, "bytes of each input beside the shared buffer [4096 B]");
    field("queue", &T::queue, core::FieldOptions{.minimum = 1},
          "lossy: most bytes that wait at an output; left out: the threshold alone");
    field("control_queue", &T::control_queue, core::FieldOptions{.minimum = 1},
          "lossy: most bytes that wait in the control queue of an output; left out: as queue");
    field("trim", &T::trim,
          "lossy: cut off the payload of packets that find a full queue [false: RoCE]");
    field("trimmed_bytes", &T::trimmed_bytes, core::FieldOptions{.minimum = 1, .maximum = 65535},
          "wire bytes of a trimmed packet [84 B: minimum Ethernet frame, preamble, gap]");
    field("trim_tail", &T::trim_tail, core::FieldOptions{.minimum = 0, .maximum = 1},
          "probability that the last waiting packet is trimmed instead of the arriving one [0.5: "
          "NDP, section 3.1]");
    field("return_to_sender", &T::return_to_sender,
          "trim: send trimmed packets back to their sender if the control queue is full; false: "
          "they are lost [false; NDP, section 3.2.4]");
    field("control", &T::control,
          "queue of acknowledgements, pulls and trimmed packets: shared with data, strict "
          "priority, or weighted [shared]");
    field("control_weight", &T::control_weight,
          core::FieldOptions{.minimum = 1, .maximum = 1 << 20},
          "weighted: control packets per data packet while both wait [10: NDP, section 3.1]");
    field("classes", &T::classes,
          "classes of data, each with its own queue, pauses and marks in each port; class 0 first "
          "[one class]");
    field(
        "credits", &T::credits, core::FieldOptions{.minimum = 64},
        "InfiniBand: buffer of each input and queue, in blocks of 64 bytes; left out: no credits");
    field("headroom", &T::headroom,
          "bytes of each input after its pause; left out: what its cable needs");
    field("resume_gap", &T::resume_gap,
          "bytes below the threshold at which a paused input resumes [3072 B]");
    field("pause_reaction", &T::pause_reaction,
          "time from the end of a pause frame to its effect [0 s]");
    field("watchdog", &T::watchdog,
          "watchdog of pauses; {} for the defaults of SONiC [left out: none]");
    field("ecn", &T::ecn, "ECN marks");
  }
};

template <>
struct core::Fields<sim::packet::NicParameters> {
  using T = sim::packet::NicParameters;
  static constexpr std::string_view name = "PacketNics", doc = "NICs.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("ack_interval", &T::ack_interval, core::FieldOptions{.minimum = 1, .maximum = 1 << 20},
          "packets per acknowledgement, the last of a message always; left out: 256 (Linux, mlx5 "
          "driver), 4 under nscc and rccc (uet-htsim), 1 under hpcc, swift, timely and ndp");
    field("ack_bytes", &T::ack_bytes, core::FieldOptions{.minimum = 1, .maximum = 65535},
          "wire bytes of an acknowledgement [84 B: minimum Ethernet frame, preamble, gap]");
    field("message_gap", &T::message_gap,
          "least time between the starts of two messages of a queue pair [0 s]");
    field("port_message_gap", &T::port_message_gap,
          "least time between the starts of two messages of a port [0 s]");
    field("message_latency", &T::message_latency, "from the doorbell to the first packet [0 s]");
    field("outstanding_reads", &T::outstanding_reads,
          core::FieldOptions{.minimum = 1, .maximum = 1 << 20},
          "verb=read: reads of a queue pair at a time (max_rd_atomic) [16: mlx5, perftest]");
    field(
        "read_latency", &T::read_latency,
        "verb=read: from the arrival of a read request to the first packet of its response [0 s]");
    field("ingress_rate", &T::ingress_rate,
          "data that a NIC receives at most, headers included, over all its ports; left out: what "
          "its ports carry");
    field("ingress_gap", &T::ingress_gap,
          "least time per data packet that a NIC receives, 1 / its packet rate [0 s]");
    field("ingress_buffer", &T::ingress_buffer, core::FieldOptions{.minimum = 1},
          "ingress_rate, ingress_gap: buffer of a NIC for data that it has not taken yet. Lossy "
          "classes: what does not fit is lost. Lossless classes: the NIC pauses its switch before "
          "[262016 B: port buffer of Mellanox adapters, DOC-2933]");
    field("window", &T::window, core::FieldOptions{.minimum = 1},
          "most unacknowledged payload of a queue pair; left out: no limit");
    field("retransmit_timeout", &T::retransmit_timeout,
          "time without progress before packets are sent again [67.1 ms: perftest]");
    field(
        "first_timeout", &T::first_timeout, core::FieldOptions{.minimum = 1e-9},
        "first timeout of adaptive retransmission. It doubles as long as nothing is acknowledged, "
        "up to retransmit_timeout. Receivers then also request a packet that was lost twice "
        "[none: every timeout is retransmit_timeout]");
    field("paths", &T::paths, core::FieldOptions{.minimum = 2, .maximum = 4096},
          "paths that a queue pair uses under spray and adaptive [64]");
    field(
        "path_choice", &T::path_choice,
        "spray: paths in turn; reps: those whose packets returned without mark first; skip_marked: "
        "in turn, without those that had marks or losses; mixed: as reps, else as skip_marked; "
        "flowlet: the next one after a pause of flowlet_gap [in_turn]");
    field("flowlet_gap", &T::flowlet_gap, core::FieldOptions{.minimum = 1e-9},
          "pause in sending after which a flowlet takes the next path [50 us]");
    field("recovery", &T::recovery,
          "after a loss send everything again (go_back_n), or the lost packet (selective) "
          "[go_back_n]");
    field("collective_class", &T::collective_class, core::FieldOptions{.minimum = 0},
          "class of the transfers of collectives, as NCCL_IB_TC sets it; messages of --traffic and "
          "--background choose theirs [0]");
    field("initial_window", &T::initial_window, core::FieldOptions{.minimum = 1},
          "rccc, ndp: bytes before the first pull; left out: line rate x base round-trip time");
  }
};

template <>
struct core::Fields<sim::packet::DcqcnParameters> {
  using T = sim::packet::DcqcnParameters;
  static constexpr std::string_view name = "Dcqcn", doc = "DCQCN (Zhu et al., SIGCOMM 2015).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("g", &T::g, core::FieldOptions{.minimum = 0, .maximum = 1}, "gain of alpha [1/256]");
    field("alpha_timer", &T::alpha_timer, core::FieldOptions{.minimum = 1e-9},
          "decay period of alpha [55 us]");
    field("increase_timer", &T::increase_timer, core::FieldOptions{.minimum = 1e-9},
          "period of rate increases [55 us]");
    field("byte_counter", &T::byte_counter, "bytes per rate increase; 0 B: timer alone [10 MB]");
    field("fast_recovery", &T::fast_recovery, core::FieldOptions{.minimum = 0, .maximum = 1000},
          "increases before the target rate rises [5]");
    field("additive_increase", &T::additive_increase, "target increase [40 Mb/s]");
    field("hyper_increase", &T::hyper_increase,
          "target increase when timer and bytes are behind fast recovery [400 Mb/s]");
    field("minimum_rate", &T::minimum_rate, "lowest rate of a queue pair [40 Mb/s]");
    field("cnp_interval", &T::cnp_interval, "least time between CNPs of a queue pair [50 us]");
    field("decrease_interval", &T::decrease_interval,
          "least time between cuts; 0 s: at each CNP [0 s]");
    field("clamp_target", &T::clamp_target,
          "set the target at each cut; false: only after an increase [true]");
  }
};

template <>
struct core::Fields<sim::packet::HpccParameters> {
  using T = sim::packet::HpccParameters;
  static constexpr std::string_view name = "Hpcc", doc = "HPCC (Li et al., SIGCOMM 2019).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("eta", &T::eta, core::FieldOptions{.minimum = 0.01, .maximum = 1},
          "target utilisation of links [0.95: section 5.1]");
    field("max_stage", &T::max_stage, core::FieldOptions{.minimum = 0, .maximum = 1000},
          "additive steps before the window is set by the utilisation again [5: section 5.1]");
    field("flows", &T::flows, core::FieldOptions{.minimum = 1},
          "flows per link for which additive steps fit into 1 - eta [100]");
    field("base_rtt", &T::base_rtt, core::FieldOptions{.minimum = 1e-9},
          "base round-trip time T; left out: that of the path of each queue pair");
    field("minimum_rate", &T::minimum_rate, "lowest rate of a queue pair [100 Mb/s]");
    field(
        "rounded_records", &T::rounded_records,
        "switches write times in ns, sent bytes in 128 B and queues in 80 B, both units times port "
        "rate / 25 Gb/s [false: exact values]");
  }
};

template <>
struct core::Fields<sim::packet::SwiftParameters> {
  using T = sim::packet::SwiftParameters;
  static constexpr std::string_view name = "Swift", doc = "Swift (Kumar et al., SIGCOMM 2020).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("queueing", &T::queueing, "target delay above the base round-trip time [2 us]");
    field("scaling_range", &T::scaling_range,
          "most that flow scaling adds to the target delay [10 us]");
    field("scaling_from", &T::scaling_from, core::FieldOptions{.minimum = 1e-4, .maximum = 1e6},
          "window in packets at which all of scaling_range is added [0.1]");
    field("scaling_to", &T::scaling_to, core::FieldOptions{.minimum = 1e-4, .maximum = 1e6},
          "window in packets from which nothing is added [100]");
    field("additive", &T::additive, core::FieldOptions{.minimum = 0},
          "packets added to the window per round trip [1]");
    field("beta", &T::beta, core::FieldOptions{.minimum = 0, .maximum = 1},
          "gain of the multiplicative decrease [0.8]");
    field("max_decrease", &T::max_decrease, core::FieldOptions{.minimum = 0, .maximum = 0.99},
          "largest decrease per round trip, as a share of the window [0.5]");
    field("minimum_window", &T::minimum_window, core::FieldOptions{.minimum = 1e-4, .maximum = 1},
          "smallest window in packets [0.01]");
  }
  static void check(const T& swift, core::Problems& problems) {
    if (swift.scaling_to <= swift.scaling_from)
      problems.add("scaling_to", "must be larger than scaling_from");
  }
};

template <>
struct core::Fields<sim::packet::TimelyParameters> {
  using T = sim::packet::TimelyParameters;
  static constexpr std::string_view name = "Timely", doc = "TIMELY (Mittal et al., SIGCOMM 2015).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("low", &T::low, "round-trip time below which the rate always rises [50 us]");
    field("high", &T::high, core::FieldOptions{.minimum = 1e-9},
          "round-trip time above which the rate always falls [500 us]");
    field("additive_increase", &T::additive_increase, "increase per step [10 Mb/s]");
    field("gain", &T::gain, core::FieldOptions{.minimum = 0, .maximum = 1},
          "weight of a new difference of round-trip times [0.875]");
    field("beta", &T::beta, core::FieldOptions{.minimum = 0, .maximum = 1},
          "gain of the decrease [0.8; patched TIMELY: 0.008]");
    field("segment", &T::segment, core::FieldOptions{.minimum = 1},
          "acknowledged payload per step [16 KB]");
    field("minimum_rate", &T::minimum_rate, "lowest rate of a queue pair [10 Mb/s]");
    field("patched", &T::patched,
          "patched TIMELY, which has a unique fixed point (Zhu et al., CoNEXT 2016) [false]");
    field("reference", &T::reference, core::FieldOptions{.minimum = 1e-9},
          "round-trip time that patched TIMELY steers to [100 us]");
  }
  static void check(const T& timely, core::Problems& problems) {
    if (timely.high <= timely.low) problems.add("high", "must be above low");
  }
};

template <>
struct core::Fields<sim::packet::NsccParameters> {
  using T = sim::packet::NsccParameters;
  static constexpr std::string_view name = "Nscc",
                                    doc = "NSCC (Ultra Ethernet Specification 1.0, 3.6.13).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("network_rtt", &T::network_rtt, core::FieldOptions{.minimum = 1e-9},
          "longest base round-trip time; left out: that of the path of each queue pair");
    field("target", &T::target, core::FieldOptions{.minimum = 0.01},
          "target queueing delay over network_rtt [0.75]");
    field("largest_window", &T::largest_window, core::FieldOptions{.minimum = 0.1},
          "largest window over bandwidth-delay product [1.5]");
    field("gamma", &T::gamma, core::FieldOptions{.minimum = 0, .maximum = 1},
          "gain of the multiplicative decrease [0.8]");
    field("proportional", &T::proportional, core::FieldOptions{.minimum = 0},
          "proportional increase, packets on the reference network [4]");
    field("fair_increase", &T::fair_increase, core::FieldOptions{.minimum = 0},
          "fair increase, packets on the reference network [5]");
    field("eta", &T::eta, core::FieldOptions{.minimum = 0},
          "increase per period, packets on the reference network [0.15]");
    field("fast_increase", &T::fast_increase, core::FieldOptions{.minimum = 0},
          "increase per acknowledged packet while nothing queues [0.25]");
    field("quick_adapt_gate", &T::quick_adapt_gate, core::FieldOptions{.minimum = 0, .maximum = 30},
          "Quick Adapt acts where less than largest window / 2^gate arrived [3]");
    field("quick_adapt_delay", &T::quick_adapt_delay, core::FieldOptions{.minimum = 0},
          "delay over target above which Quick Adapt acts without a loss [4]");
    field("delay_gain", &T::delay_gain, core::FieldOptions{.minimum = 0, .maximum = 1},
          "weight of a new delay in the average [0.0125]");
    field("adjust_packets", &T::adjust_packets, core::FieldOptions{.minimum = 1},
          "acknowledged packets after which increases take effect [8]");
  }
};

template <>
struct core::Fields<sim::packet::RcccParameters> {
  using T = sim::packet::RcccParameters;
  static constexpr std::string_view name = "Rccc",
                                    doc = "Rate of pulls in oversubscribed networks (uet-htsim).";
  template <class Visitor>
  static void list(Visitor& field) {
    field(
        "oversubscription", &T::oversubscription, core::FieldOptions{.minimum = 1, .maximum = 1000},
        "of the network, 2 for 2:1: receivers pull more slowly after marks and trimmed packets of "
        "switches before the last link, which then sets no marks, at least at 0.75 / "
        "oversubscription of their rate; left out: at their rate");
    field("interval", &T::interval, core::FieldOptions{.minimum = 1e-9},
          "time between changes; left out: the base round-trip time");
    field("target", &T::target, core::FieldOptions{.minimum = 0, .maximum = 1},
          "share of marked packets above which the rate falls [0.3]");
    field("gain", &T::gain, core::FieldOptions{.minimum = 0, .maximum = 1},
          "weight of the last interval in that share [0.5]");
    field("additive", &T::additive, core::FieldOptions{.minimum = 0, .maximum = 1},
          "growth in an interval, in port rates; without marks it doubles each time [0.01]");
    field("decrease", &T::decrease, core::FieldOptions{.minimum = 0, .maximum = 1},
          "fall per share of marks above the target [0.5]");
  }
};

template <>
struct core::Fields<sim::packet::IbccParameters> {
  using T = sim::packet::IbccParameters;
  static constexpr std::string_view name = "Ibcc",
                                    doc = "Congestion control of InfiniBand (1.4, annex A10).";
  template <class Visitor>
  static void list(Visitor& field) {
    field("increase", &T::increase, core::FieldOptions{.minimum = 1, .maximum = 255},
          "growth of the table index at a BECN [1: NVIDIA OFED manual]");
    field("limit", &T::limit, core::FieldOptions{.minimum = 1, .maximum = 65535},
          "largest table index [127]");
    field("slope", &T::slope, core::FieldOptions{.minimum = 1e-6, .maximum = 1e6},
          "delay after a packet per index, in times of that packet [1]");
    field("timer", &T::timer, core::FieldOptions{.minimum = 1e-9},
          "time after which the index falls by 1 [150 us]");
  }
};

template <>
struct core::Fields<sim::packet::Parameters> {
  using T = sim::packet::Parameters;
  static constexpr std::string_view name = "PacketParameters",
                                    doc =
                                        "Switches, NICs and congestion control of packet "
                                        "simulation.";
  template <class Visitor>
  static void list(Visitor& field) {
    field("source", &T::source, "where the numbers are from");
    field("switches", &T::switches, "switches");
    field("nic", &T::nic, "NICs");
    field("transport", &T::transport,
          "roce, ib (credits), uec or ndp (trimming, packets in any order) [roce]");
    field("congestion", &T::congestion,
          "congestion control, if --congestion does not choose one [dcqcn]");
    field("dcqcn", &T::dcqcn, "DCQCN, with --congestion dcqcn");
    field("hpcc", &T::hpcc, "HPCC, with --congestion hpcc");
    field("swift", &T::swift, "Swift, with --congestion swift");
    field("timely", &T::timely, "TIMELY, with --congestion timely");
    field("nscc", &T::nscc, "NSCC, with --congestion nscc");
    field("ibcc", &T::ibcc, "InfiniBand's congestion control, with --congestion ibcc");
    field("rccc", &T::rccc, "rate of pulls, with --congestion rccc");
    field("clock_tolerance", &T::clock_tolerance, core::FieldOptions{.minimum = 0, .maximum = 0.01},
          "largest difference of a device's clock from its rate, as a share [0; IEEE 802.3 allows "
          "0.0001]");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<sim::packet::EcnParameters>();
extern template const core::StructType& core::struct_type<sim::packet::TrafficClass>();
extern template const core::StructType& core::struct_type<sim::packet::WatchdogParameters>();
extern template const core::StructType& core::struct_type<sim::packet::SwitchParameters>();
extern template const core::StructType& core::struct_type<sim::packet::NicParameters>();
extern template const core::StructType& core::struct_type<sim::packet::DcqcnParameters>();
extern template const core::StructType& core::struct_type<sim::packet::HpccParameters>();
extern template const core::StructType& core::struct_type<sim::packet::SwiftParameters>();
extern template const core::StructType& core::struct_type<sim::packet::TimelyParameters>();
extern template const core::StructType& core::struct_type<sim::packet::NsccParameters>();
extern template const core::StructType& core::struct_type<sim::packet::IbccParameters>();
extern template const core::StructType& core::struct_type<sim::packet::RcccParameters>();
extern template const core::StructType& core::struct_type<sim::packet::Parameters>();

}  // namespace railyard
