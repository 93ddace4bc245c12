#include "apps/sim/packet_flags.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "apps/cli/fault_flags.hpp"
#include "apps/cli/flag_value.hpp"
#include "apps/output/add_config.hpp"
#include "core/config/config_path.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "sim/packet/packet_defaults.hpp"
#include "sim/packet/parameter_fields.hpp"
#include "topology/cluster/topology_names.hpp"

namespace railyard::apps {

void add_packet_flags(FlagSet app, PacketFlags& flags) {
  app = app.under("Packet simulation");
  app.add_option("--transport", flags.transport,
                 "packet: transport of the NICs: roce, ib, uec or ndp; also selects the "
                 "--packet-config of this name, unless that flag is given [the cluster's]")
      .type_name("NAME");
  app.add_option("--congestion", flags.congestion,
                 "packet: congestion control: none, or by transport: dcqcn, hpcc, swift, timely "
                 "(roce); nscc, rccc (uec); ndp (ndp); ibcc (ib) [as in --packet-config]")
      .type_name("NAME");
  app.add_option("--packet-config", flags.config,
                 "packet: parameters of switches, NICs and congestion controls: a name in "
                 "configs/packet or a path [the transport's]")
      .type_name("FILE");
  app.add_option("--path-choice", flags.path_choice,
                 "packet: path of each packet with --routing spray: in_turn (one path after the "
                 "other), reps (reuses paths without congestion marks), skip_marked (skips paths "
                 "with marks or losses), mixed (reps, else skip_marked) or flowlet (another path "
                 "after each pause in sending) [as in --packet-config]")
      .type_name("NAME");
  app.add_option(
         "--storm", flags.storms,
         "packet: simulate a faulty NIC that sends pause frames continuously from one time to "
         "another: 'node0/nic0@1ms..5ms' (repeatable; switches.watchdog in "
         "--packet-config ends such pause storms)")
      .type_name("NIC@TIME..TIME")
      .take_all();
}

void add_fast_forward_flag(FlagSet app, PacketFlags& flags) {
  app.add_flag(
         "--no-fast-forward", flags.no_fast_forward,
         "packet: simulate every packet; by default the steady state of long rings is extrapolated")
      .group("Packet simulation");
}

void add_packet_record_flags(FlagSet app, PacketFlags& flags) {
  app = app.under("Output");
  app.add_option("--flows", flags.flows,
                 "packet: write each transfer as CSV: start, end, bytes, slowdown")
      .type_name("FILE");
  app.add_option("--queues", flags.queues,
                 "packet: write the depth of all queues over time as CSV; empty queues have no row")
      .type_name("FILE");
  app.add_option("--queue-interval", flags.queue_interval, "Time between rows of --queues [10us]")
      .type_name("TIME");
  app.add_option("--pauses", flags.pauses,
                 "packet: write paused ports as CSV: the port that caused the pause, number of "
                 "pauses, total time")
      .type_name("FILE");
}

void check_packet_flags(const PacketFlags& flags, std::string_view fidelity) {
  if (fidelity == "packet") return;
  Diagnostics problems("");
  const auto check = [&](const std::string& value, const char* flag) {
    if (!value.empty()) problems.add(flag, "applies to packet simulation", "--fidelity packet");
  };
  check(flags.transport, "--transport");
  check(flags.congestion, "--congestion");
  check(flags.config, "--packet-config");
  check(flags.path_choice, "--path-choice");
  check(flags.storms.empty() ? "" : "given", "--storm");
  check(flags.no_fast_forward ? "given" : "", "--no-fast-forward");
  check(flags.flows, "--flows");
  check(flags.queues, "--queues");
  check(flags.pauses, "--pauses");
  check(flags.queue_interval, "--queue-interval");
  problems.throw_if_any();
}

namespace {

std::shared_ptr<sim::packet::PacketRecords> records_of(const PacketFlags& flags) {
  if (!flags.queue_interval.empty() && flags.queues.empty())
    throw InputError("", "--queue-interval", "applies to --queues", "add --queues FILE");
  if (!flags.wants_records()) return nullptr;
  const std::array<std::pair<const char*, const std::string*>, 3> files{
      {{"--flows", &flags.flows}, {"--queues", &flags.queues}, {"--pauses", &flags.pauses}}};
  for (const auto& [flag, file] : files)
    if (*file == "-")
      throw InputError("", flag, "needs a file, because the rows are printed to standard output");
  auto records = std::make_shared<sim::packet::PacketRecords>();
  records->wants_transfers = !flags.flows.empty();
  if (flags.queues.empty()) return records;
  records->queue_interval =
      flag_value(core::parse_time(flags.queue_interval.empty() ? "10us" : flags.queue_interval),
                 "--queue-interval");
  if (records->queue_interval <= Time())
    throw InputError("", "--queue-interval", "must be longer than 0", "for example 1us");
  return records;
}

using sim::packet::Transport;

template <class E>
E named(const std::string& text, const char* flag) {
  return flag_value(core::parse_enum<E>(text), flag);
}

/// The transport of a cluster's fabric. Throws InputError if packets do not support it.
Transport transport_of(const topology::Cluster& cluster) {
  if (const auto transport = sim::packet::transport_of(cluster.spec().fabric.transport))
    return *transport;
  throw InputError("", "--fidelity",
                   "packet simulation does not support TCP, which the fabric of this cluster uses",
                   "--transport roce simulates it with RoCE NICs and switches");
}

}  // namespace

sim::packet::PacketOptions packet_options(const topology::Cluster& cluster,
                                          const PacketFlags& flags, Provenance& provenance) {
  const bool has_transport = !flags.transport.empty();
  const Transport asked = has_transport          ? named<Transport>(flags.transport, "--transport")
                          : flags.config.empty() ? transport_of(cluster)
                                                 : Transport::roce;
  sim::packet::PacketOptions options;
  options.fast_forward = !flags.no_fast_forward;
  options.records = records_of(flags);
  const std::string name =
      flags.config.empty() ? std::string(core::enum_name(asked)) : flags.config;
  const auto path = core::resolve_config(name, "packet", {}, "--packet-config");
  add_config(provenance, name, path);
  options.parameters = core::read_config<sim::packet::Parameters>(path);
  if (has_transport && options.parameters.transport != asked)
    throw InputError(
        "", "--transport",
        fmt::format("the packet configuration {1} has the transport {0}, not {2}",
                    core::enum_name(options.parameters.transport), name, core::enum_name(asked)),
        fmt::format("leave out --transport, or use --packet-config {}", core::enum_name(asked)));
  if (!flags.congestion.empty())
    options.parameters.congestion =
        named<sim::packet::Congestion>(flags.congestion, "--congestion");
  if (!flags.path_choice.empty())
    options.parameters.nic.path_choice =
        named<sim::packet::PathChoice>(flags.path_choice, "--path-choice");
  options.is_path_choice_asked = !flags.path_choice.empty();
  for (const std::string& text : flags.storms)
    for (const sim::packet::PauseStorm& storm :
         sim::packet::pause_storms(cluster, storm_of(cluster, text)))
      options.storms.push_back(storm);
  provenance.facts.emplace_back("transport", core::enum_name(options.parameters.transport));
  provenance.facts.emplace_back("congestion", core::enum_name(options.parameters.congestion));
  provenance.facts.emplace_back("packet_config", name);
  return options;
}

}  // namespace railyard::apps
