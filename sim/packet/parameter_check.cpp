#include "sim/packet/parameter_check.hpp"

#include <fmt/format.h>

#include <string_view>

#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "sim/packet/parameter_names.hpp"

namespace railyard::sim::packet {
namespace {

bool fits(Transport transport, Congestion congestion) {
  switch (transport) {
    case Transport::roce:
      return congestion != Congestion::nscc && congestion != Congestion::ibcc &&
             !is_pulled(congestion);
    case Transport::ib: return congestion == Congestion::none || congestion == Congestion::ibcc;
    case Transport::uec:
      return congestion == Congestion::nscc || congestion == Congestion::rccc ||
             congestion == Congestion::none;
    case Transport::ndp: return congestion == Congestion::ndp;
  }
  return false;
}

std::string_view controls_of(Transport transport) {
  switch (transport) {
    case Transport::roce: return "none, dcqcn, hpcc, swift or timely";
    case Transport::ib: return "none or ibcc";
    case Transport::uec: return "nscc, rccc or none";
    case Transport::ndp: return "ndp";
  }
  return "";
}

void check_switches(const Parameters& parameters, Diagnostics& problems) {
  const SwitchParameters& switches = parameters.switches;
  const bool is_selective = parameters.nic.recovery == Recovery::selective;
  const bool loses = loses_data(switches);
  bool has_lossless = is_lossless(switches, class_count(switches));
  for (std::size_t queue = 0; queue < class_count(switches); ++queue)
    has_lossless = has_lossless || is_lossless(switches, queue);
  if (switches.trim && has_lossless)
    problems.add("switches.trim",
                 "cuts packets off where a queue is full, and a lossless switch "
                 "pauses before",
                 "set lossless to false, also in switches.classes, or trim to false");
  if (switches.trim && !is_selective)
    problems.add("switches.trim", "needs receivers that keep what follows a trimmed packet",
                 "set nic.recovery to selective");
  if (switches.trim && switches.control == ControlQueue::shared)
    problems.add("switches.trim", "needs a queue for trimmed packets beside the full one",
                 "set switches.control to strict or weighted");
  if (switches.return_to_sender && !switches.trim)
    problems.add("switches.return_to_sender", "sends trimmed packets back",
                 "set trim to true, or return_to_sender to false");
  if (switches.queue && !loses)
    problems.add("switches.queue", "limits queues of switches that lose or trim packets",
                 "set lossless to false, or leave queue out");
  if (switches.control_queue && (switches.lossless || switches.control == ControlQueue::shared))
    problems.add("switches.control_queue",
                 "limits the queue of control packets of switches that lose or trim packets",
                 "set lossless to false and control to strict or weighted, or leave it out");
  if (queue_count(switches) > kMostQueues)
    problems.add(
        "switches.classes",
        fmt::format("need {} queues in each port, with that of control packets; ports have "
                    "{} (IEEE 802.1Q)",
                    queue_count(switches), kMostQueues),
        "list fewer classes");
  const auto collectives = static_cast<std::size_t>(parameters.nic.collective_class);
  if (collectives >= class_count(switches))
    problems.add("nic.collective_class",
                 fmt::format("class {} is not one of the {} classes of switches.classes",
                             collectives, class_count(switches)),
                 "classes count from 0");
  if (switches.credits && (!switches.lossless || loses))
    problems.add("switches.credits", "lose nothing", "set lossless to true, or leave credits out");
  if (switches.watchdog && (!has_lossless || switches.credits))
    problems.add("switches.watchdog", "watches pauses, which these switches do not use",
                 "set lossless to true, also in switches.classes, or leave watchdog out");
  if (switches.credits.has_value() != (parameters.transport == Transport::ib))
    problems.add("switches.credits", "are the flow control of InfiniBand only",
                 parameters.transport == Transport::ib ? "give the buffer of an input"
                                                       : "set transport to ib, or leave it out");
}

void check_ingress(const Parameters& parameters, Diagnostics& problems) {
  const NicParameters& nic = parameters.nic;
  if (!nic.ingress_buffer) return;
  if (!limits_ingress(nic))
    problems.add("nic.ingress_buffer", "is the buffer of a NIC that receives less than its ports",
                 "set nic.ingress_rate or nic.ingress_gap, or leave it out");
  if (parameters.switches.credits)
    problems.add("nic.ingress_buffer", "is that of switches.credits with InfiniBand",
                 "leave it out");
}

}  // namespace

void check(const Parameters& parameters) {
  Diagnostics problems("");
  const Congestion control = parameters.congestion;
  const bool has_window = control == Congestion::hpcc || control == Congestion::swift;
  if (has_window && ack_interval_of(parameters) != 1)
    problems.add("nic.ack_interval",
                 "hpcc and swift need an acknowledgement per packet: a window that closes before "
                 "the next acknowledgement would stop the queue pair",
                 "leave ack_interval out, or set it to 1");
  if (!fits(parameters.transport, control))
    problems.add("--congestion",
                 fmt::format("{} is not supported with transport {}", core::enum_name(control),
                             core::enum_name(parameters.transport)),
                 fmt::format("use {}", controls_of(parameters.transport)));
  const bool is_selective = parameters.nic.recovery == Recovery::selective;
  if (!is_selective && (control == Congestion::nscc || is_pulled(control)))
    problems.add(
        "nic.recovery",
        fmt::format("{} needs receivers that take packets in any order", core::enum_name(control)),
        "set it to selective");
  if (parameters.nic.first_timeout &&
      *parameters.nic.first_timeout > parameters.nic.retransmit_timeout)
    problems.add("nic.first_timeout", "is longer than retransmit_timeout, which it grows to",
                 "lower it, or leave it out");
  if (parameters.rccc.oversubscription && control != Congestion::rccc)
    problems.add("rccc.oversubscription", "sets the rate of the pulls of rccc",
                 "choose --congestion rccc, or leave it out");
  if (control == Congestion::ndp && !parameters.switches.trim)
    problems.add("switches.trim", "ndp needs trimming switches", "set it to true");
  check_switches(parameters, problems);
  check_ingress(parameters, problems);
  problems.throw_if_any();
}

}  // namespace railyard::sim::packet
