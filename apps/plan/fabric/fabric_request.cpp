#include "apps/plan/fabric/fabric_request.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "apps/cli/flag_value.hpp"
#include "apps/cli/setting.hpp"
#include "apps/output/add_config.hpp"
#include "apps/place/place_engine.hpp"
#include "core/config/config_path.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "core/ratio.hpp"
#include "placement/capacity/fabric/plan_texts.hpp"
#include "placement/capacity/read_price_list.hpp"
#include "topology/cluster/topology_names.hpp"
#include "topology/fabric/read_switch_model.hpp"
#include "topology/fabric/switch_model_fields.hpp"

namespace railyard::apps {
namespace {

void add_named_config(const std::string& name, std::string_view kind, Provenance& provenance) {
  const auto path = core::resolve_config(name, kind);
  add_config(provenance, name, path);
}

std::vector<double> ratios_of(const std::vector<std::string>& texts) {
  std::vector<double> ratios;
  for (const std::string& text : texts) {
    ratios.push_back(flag_value(core::parse_ratio(text), "--oversubscription", "2, 1.5 or 3:2"));
    if (ratios.back() < 1)
      throw InputError("", "--oversubscription", fmt::format("{} is less than 1", text),
                       "1 is non-blocking, 2 has half the capacity up");
  }
  if (ratios.empty()) throw InputError("", "--oversubscription", "does not list a ratio", "1,2,4");
  return ratios;
}

/// Sets the switch of the flags and its item in the price lists.
void set_switch(const FabricPlanFlags& flags, placement::FabricPlanRequest& request,
                Provenance& provenance) {
  if (flags.radix) {
    const Bandwidth rate = topology::demand_of(request.node, 1).nic_rate;
    request.model =
        topology::switch_of_radix(*flags.radix, rate, topology::protocol_of(request.transport));
    request.switch_item = "switch/generic";
    return;
  }
  if (flags.switch_model.empty())
    throw InputError("", "--switch", "is missing",
                     "select a switch of configs/switches, or give the number of ports of another "
                     "one with --radix");
  request.model = topology::read_switch_model(flags.switch_model);
  request.switch_item = "switch/" + std::filesystem::path(flags.switch_model).stem().string();
  add_named_config(flags.switch_model, "switches", provenance);
}

/// The transport of the flag, otherwise that of the switch.
topology::Transport transport_of(const FabricPlanFlags& flags) {
  if (!flags.transport.empty()) {
    return flag_value(core::parse_enum<topology::Transport>(flags.transport), "--transport");
  }
  if (flags.switch_model.empty()) return topology::Transport::infiniband;
  const bool is_ethernet = topology::read_switch_model(flags.switch_model).protocol ==
                           topology::SwitchProtocol::ethernet;
  return is_ethernet ? topology::Transport::roce : topology::Transport::infiniband;
}

void check_protocol(const FabricPlanFlags& flags, const placement::FabricPlanRequest& request) {
  if (request.model.protocol == topology::protocol_of(request.transport)) return;
  throw InputError("", "--transport",
                   fmt::format("{} is an {} switch, which does not support {}", flags.switch_model,
                               core::enum_name(request.model.protocol), flags.transport),
                   "leave --transport out, or choose another switch");
}

void read_prices(const FabricPlanFlags& flags, placement::FabricPlanRequest& request,
                 Provenance& provenance) {
  std::vector<std::string> lists{"network"};
  lists.insert(lists.end(), flags.price_lists.begin(), flags.price_lists.end());
  for (const std::string& list : lists) {
    placement::add_prices(request.prices, placement::read_price_list(list), "--prices");
    add_named_config(list, "prices", provenance);
  }
  placement::override_prices(request.prices, flags.prices, "--price");
  request.gpu_price = placement::item_of(request.prices, "gpu/any").price.value_or(0);
}

}  // namespace

placement::FabricPlanRequest fabric_plan_request(const FabricPlanFlags& flags,
                                                 Provenance& provenance) {
  placement::FabricPlanRequest request;
  request.node = topology::read_node(flags.node);
  add_named_config(flags.node, "nodes", provenance);
  request.gpus = flags.gpus;
  request.kinds = placement::parse_fabric_kinds(flags.compare, "--compare");
  request.oversubscriptions = ratios_of(flags.oversubscriptions);
  request.transport = transport_of(flags);
  set_switch(flags, request, provenance);
  check_protocol(flags, request);
  if (!flags.routing.empty()) {
    request.routing =
        flag_value(core::parse_enum<topology::RoutingPolicy>(flags.routing), "--routing");
  }
  request.seed = flags.seed;
  request.room.nodes_per_rack = flags.nodes_per_rack;
  request.room.square_metres_per_rack = flags.rack_area;
  read_prices(flags, request, provenance);
  request.all_reduce_bytes = size_of_flag(flags.all_reduce, "--all-reduce");
  request.engines = engines_of(flags.fidelity);
  if (flags.job == "none") {
    if (!flags.fix.empty()) throw InputError("", "--fix", "needs a job", "leave out --job none");
    return request;
  }
  request.job = placement::read_job(flags.job);
  add_named_config(flags.job, "jobs", provenance);
  if (flags.batch) request.job->batch = *flags.batch;
  if (!flags.fix.empty()) request.strategy = placement::parse_plan_strategy(flags.fix, request);
  return request;
}

}  // namespace railyard::apps
