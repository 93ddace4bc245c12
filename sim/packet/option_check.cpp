#include "sim/packet/option_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/diagnostic.hpp"
#include "sim/packet/parameter_check.hpp"
#include "sim/packet/parameter_names.hpp"
#include "topology/routing/convergence.hpp"

namespace railyard::sim::packet {

namespace {

// Storms of one link must not overlap, because each would end the other.
void check_storms(const PacketOptions& options) {
  const SwitchParameters& switches = options.parameters.switches;
  bool pauses = false;
  for (std::size_t queue = 0; queue < class_count(switches); ++queue)
    pauses = pauses || (is_lossless(switches, queue) && !switches.credits);
  if (!pauses)
    throw InputError("", "--storm", "NICs pause switches only where a traffic class is lossless",
                     "use a packet configuration with pauses, such as --packet-config roce");
  if (limits_ingress(options.parameters.nic))
    throw InputError("", "--storm",
                     "a NIC with nic.ingress_rate or nic.ingress_gap pauses its switch by itself",
                     "leave out --storm, or these keys of --packet-config");
  std::vector<PauseStorm> storms = options.storms;
  std::ranges::sort(storms, [](const PauseStorm& a, const PauseStorm& b) {
    return a.link != b.link ? a.link < b.link : a.from < b.from;
  });
  for (std::size_t i = 1; i < storms.size(); ++i)
    if (storms[i].link == storms[i - 1].link && storms[i].from <= storms[i - 1].until)
      throw InputError("", "--storm", "two storms of a port overlap",
                       "join them, or let the second begin later");
}

}  // namespace

void check(const PacketOptions& options) {
  check(options.parameters);
  const std::size_t classes = class_count(options.parameters.switches);
  for (const std::uint32_t asked : options.message_classes)
    if (asked >= classes)
      throw InputError("", "--packet-config",
                       fmt::format("switches.classes has {} class{}, and a message is of class {}",
                                   classes, classes == 1 ? "" : "es", asked),
                       "classes count from 0: add to switches.classes, or change class=N of the "
                       "traffic");
  const NicParameters& nic = options.parameters.nic;
  const bool has_paths = options.routing.policy == topology::RoutingPolicy::spray;
  const bool has_flowlets = nic.path_choice == PathChoice::flowlet;
  const bool sprays = has_paths && !has_flowlets;
  if (has_paths && needs_round_trips(options.parameters.congestion))
    throw InputError("", "--routing",
                     "spray is not supported with --congestion hpcc, swift and timely: they need "
                     "the round-trip time and the ports of one path",
                     "choose another --routing or --congestion");
  const SwitchParameters& switches = options.parameters.switches;
  if (sprays && (loses_data(switches) || switches.watchdog) && nic.recovery == Recovery::go_back_n)
    throw InputError(
        "", "--routing",
        "spray needs switches that lose nothing: go-back-N cannot tell a packet that "
        "was overtaken from one that was lost",
        "use a packet configuration with lossless switches and no watchdog, or with nic.recovery "
        "selective, or another --routing");
  if (!options.storms.empty()) check_storms(options);
  const bool fails_later = std::ranges::any_of(options.later_faults, topology::fails_later);
  const bool adapts = options.routing.policy == topology::RoutingPolicy::adaptive &&
                      options.parameters.transport == Transport::ib;
  if (fails_later && adapts)
    throw InputError("", "--fail",
                     "adaptive switches are not supported with links that fail during the run",
                     "leave out the time, or choose another --routing");
  if (fails_later && sprays && nic.recovery == Recovery::go_back_n)
    throw InputError("", "--fail",
                     "a link that fails during the run loses packets, which sprayed queue pairs "
                     "do not send again with go-back-N",
                     "use nic.recovery selective in --packet-config, or another --routing");
  if (adapts && has_flowlets)
    throw InputError("", "--path-choice",
                     "flowlet is not supported with adaptive switches, which choose the path of "
                     "each packet",
                     "leave it out, or use --routing spray");
  if (options.is_path_choice_asked && !has_paths)
    throw InputError("", "--path-choice", "chooses among the paths of --routing spray",
                     "add --routing spray");
  if (options.is_path_choice_asked && heeds_marks(nic.path_choice) &&
      nic.recovery != Recovery::selective)
    throw InputError("", "--path-choice",
                     fmt::format("{} needs", core::enum_name(nic.path_choice)) +
                         " acknowledgements of single packets, which go-back-N does not send",
                     "--transport uec, or nic.recovery selective in --packet-config");
}

}  // namespace railyard::sim::packet
