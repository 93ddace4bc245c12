#pragma once

#include "core/config/fields.hpp"
#include "sim/packet/parameters.hpp"

namespace railyard {

template <>
struct core::EnumNames<sim::packet::Congestion> {
  using enum sim::packet::Congestion;
  static constexpr std::array<std::pair<sim::packet::Congestion, std::string_view>, 2> table{
      {{none, "none"}, {dcqcn, "dcqcn"}}};
};

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
    field("headroom", &T::headroom,
          "bytes of each input after its pause; left out: what its cable needs");
    field("resume_gap", &T::resume_gap,
          "bytes below the threshold at which a paused input resumes [3072 B]");
    field("pause_reaction", &T::pause_reaction,
          "time from the end of a pause frame to its effect [0 s]");
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
          "packets per acknowledgement, the last of a message always [256: Linux, mlx5 driver]");
    field("ack_bytes", &T::ack_bytes, core::FieldOptions{.minimum = 1, .maximum = 65535},
          "wire bytes of an acknowledgement [84 B: minimum Ethernet frame, preamble, gap]");
    field("message_gap", &T::message_gap,
          "least time between the starts of two messages of a queue pair [0 s]");
    field("message_latency", &T::message_latency, "from the doorbell to the first packet [0 s]");
    field("window", &T::window, core::FieldOptions{.minimum = 1},
          "most unacknowledged payload of a queue pair; left out: no limit");
    field("retransmit_timeout", &T::retransmit_timeout,
          "time without progress before packets are sent again [67.1 ms: perftest]");
    field("paths", &T::paths, core::FieldOptions{.minimum = 2, .maximum = 4096},
          "paths that a queue pair uses in turn under spray [64]");
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
    field("dcqcn", &T::dcqcn, "DCQCN, with --congestion dcqcn");
  }
};

// Instantiated once, in the source file: the templates behind a description are large.
extern template const core::StructType& core::struct_type<sim::packet::EcnParameters>();
extern template const core::StructType& core::struct_type<sim::packet::SwitchParameters>();
extern template const core::StructType& core::struct_type<sim::packet::NicParameters>();
extern template const core::StructType& core::struct_type<sim::packet::DcqcnParameters>();
extern template const core::StructType& core::struct_type<sim::packet::Parameters>();

}  // namespace railyard
