#include "sim/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collectives/nccl/timing/fitted_pace.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "sim/analytic/analytic_network.hpp"
#include "sim/analytic/paced_network.hpp"
#include "sim/flow/flow_network.hpp"
#include "sim/packet/packet_network.hpp"
#include "topology/cluster/add_faults.hpp"

namespace railyard::sim {
namespace {

using Engine = std::unique_ptr<collectives::Executor>;

collectives::PaceModel pace_of(const std::shared_ptr<collectives::nccl::FittedPace>& timing) {
  return [timing](const collectives::Schedule& schedule) { return timing->pace(schedule); };
}

Engine make_analytic(const topology::Cluster& cluster, const EngineOptions& options) {
  Diagnostics problems("");
  const std::string flow = "use --fidelity flow";
  topology::Faults faults;
  for (const topology::TimedFault& fault : options.faults) {
    if (fault.at > Time()) {
      problems.add("--fail", "the analytic model has no time axis; faults must hold from the start",
                   flow);
    }
    topology::add_faults(faults, fault.faults);
  }
  if (options.expand) problems.add("--expand", "the analytic model does not simulate steps", flow);
  if (options.certify)
    problems.add("--certify", "the analytic model does not solve for max-min rates", flow);
  if (options.coalesce > Time()) {
    problems.add("--coalesce", "the analytic model does not simulate completions", flow);
  }
  problems.throw_if_any();
  AnalyticOptions bottleneck{.routing = options.routing, .faults = std::move(faults)};
  if (!options.timing) return std::make_unique<AnalyticNetwork>(cluster, std::move(bottleneck));
  return std::make_unique<PacedNetwork>(
      cluster, PacedNetwork::Options{.pace = pace_of(options.timing),
                                     .bottleneck = std::move(bottleneck),
                                     .network_share = options.timing->network_share(),
                                     .loads = options.loads});
}

Engine make_flow(const topology::Cluster& cluster, const EngineOptions& options) {
  // A fitted pace is that of a whole collective; single transfers have no measured times.
  if (options.expand && options.timing)
    throw InputError("", "--expand",
                     "simulates each transfer with nominal link rates and overheads",
                     "--timing nominal, which is the default with --expand");
  FlowOptions flow{.routing = options.routing,
                   .faults = options.faults,
                   .convergence = options.convergence,
                   .expand = options.expand,
                   .timeline = options.timeline,
                   .certify = options.certify,
                   .coalesce = options.coalesce.seconds(),
                   .threads = options.threads,
                   .watch = options.watch,
                   .announce = options.announce};
  if (options.timing) {
    flow.pace = pace_of(options.timing);
    flow.network_share = options.timing->network_share();
  }
  return std::make_unique<FlowNetwork>(cluster, std::move(flow));
}

Engine make_packet(const topology::Cluster& cluster, const EngineOptions& options) {
  Diagnostics problems("");
  packet::PacketOptions packet = options.packet;
  packet.routing = options.routing;
  packet.timeline = options.timeline;
  packet.threads = options.threads;
  packet.watch = options.watch;
  packet.announce = options.announce;
  for (const topology::TimedFault& fault : options.faults) {
    if (fault.at > Time() || fault.ends())
      packet.later_faults.push_back(fault);
    else
      topology::add_faults(packet.faults, fault.faults);
  }
  std::ranges::stable_sort(packet.later_faults, {}, &topology::TimedFault::at);
  packet.convergence = options.convergence;
  if (options.expand)
    problems.add("--expand", "packet simulation always simulates each transfer", "leave it out");
  if (options.certify)
    problems.add("--certify", "packet simulation does not solve for max-min rates",
                 "use --fidelity flow");
  if (options.coalesce > Time())
    problems.add("--coalesce", "packet simulation does not merge completions",
                 "use --fidelity flow");
  if (options.timing)
    problems.add("--timing", "packet simulation uses nominal link rates and overheads",
                 "--timing nominal, or --fidelity flow");
  problems.throw_if_any();
  return std::make_unique<PacketNetwork>(cluster, std::move(packet));
}

struct Fidelity {
  std::string_view name;
  Engine (*make)(const topology::Cluster&, const EngineOptions&);
};

constexpr std::array kFidelities{Fidelity{"analytic", make_analytic}, Fidelity{"flow", make_flow},
                                 Fidelity{"packet", make_packet}};

}  // namespace

Engine make_engine(const topology::Cluster& cluster, const EngineOptions& options) {
  std::vector<std::string_view> names;
  for (const Fidelity& fidelity : kFidelities) {
    if (fidelity.name == options.fidelity) return fidelity.make(cluster, options);
    names.push_back(fidelity.name);
  }
  throw InputError("", "--fidelity", core::unknown_name(options.fidelity, names));
}

}  // namespace railyard::sim
