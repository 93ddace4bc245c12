#include "apps/sim/packet_flags.hpp"

#include <fmt/format.h>

#include "core/config/config_path.hpp"
#include "core/config/enum_names.hpp"
#include "core/config/text_file.hpp"
#include "core/diagnostic.hpp"
#include "core/digest.hpp"
#include "sim/packet/parameter_fields.hpp"
#include "topology/cluster/topology_names.hpp"

namespace railyard::apps {

void add_packet_flags(FlagSet app, PacketFlags& flags) {
  const char* group = "Packet simulation";
  app.add_option("--transport", flags.transport,
                 "packet: transport of the NICs: roce [that of the cluster, which must be roce]")
      .type_name("NAME")
      .group(group);
  app.add_option("--congestion", flags.congestion,
                 "packet: congestion control: dcqcn or none [dcqcn]")
      .type_name("NAME")
      .group(group);
  app.add_option("--packet-config", flags.config,
                 "packet: parameters of switches, NICs and DCQCN: a name in configs/packet or a "
                 "path [roce]")
      .type_name("FILE")
      .group(group);
  app.add_flag("--no-fast-forward", flags.no_fast_forward,
               "packet: simulate every packet of long rings instead of extrapolating "
               "their steady state")
      .group(group);
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
  check(flags.no_fast_forward ? "given" : "", "--no-fast-forward");
  problems.throw_if_any();
}

sim::packet::PacketOptions packet_options(const topology::Cluster& cluster,
                                          const PacketFlags& flags, Provenance& provenance) {
  if (!flags.transport.empty() && flags.transport != "roce")
    throw InputError("", "--transport", core::unknown_name(flags.transport, {"roce"}),
                     "packet simulation supports RoCE v2");
  const topology::Transport spoken = cluster.spec().fabric.transport;
  if (flags.transport.empty() && spoken != topology::Transport::roce)
    throw InputError("", "--fidelity",
                     fmt::format("packet simulation supports RoCE, and the fabric of this cluster "
                                 "is {}",
                                 core::enum_name(spoken)),
                     "--transport roce simulates it with RoCE NICs and switches");
  sim::packet::PacketOptions options;
  options.fast_forward = !flags.no_fast_forward;
  const std::string name = flags.config.empty() ? "roce" : flags.config;
  const auto path = core::resolve_config(name, "packet", {}, "--packet-config");
  provenance.configs.emplace_back(name, "fnv1a64:" + core::digest(core::read_text_file(path)));
  options.parameters = core::read_config<sim::packet::Parameters>(path);
  if (!flags.congestion.empty()) {
    const auto named = core::parse_enum<sim::packet::Congestion>(flags.congestion);
    if (!named.value) throw InputError("", "--congestion", named.error);
    options.parameters.congestion = *named.value;
  }
  provenance.facts.emplace_back("transport", "roce");
  provenance.facts.emplace_back("congestion", core::enum_name(options.parameters.congestion));
  provenance.facts.emplace_back("packet_config", name);
  return options;
}

}  // namespace railyard::apps
