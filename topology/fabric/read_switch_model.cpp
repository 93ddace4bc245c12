#include "topology/fabric/read_switch_model.hpp"

#include <fmt/format.h>

#include <array>

#include "core/config/config_path.hpp"
#include "topology/cluster/topology_names.hpp"
#include "topology/fabric/switch_model_fields.hpp"

namespace railyard::topology {

SwitchModel read_switch_model(const std::string& reference, const std::string& referring_file,
                              std::string_view pointer) {
  return core::read_config<SwitchModel>(
      core::resolve_config(reference, "switches", referring_file, pointer));
}

SwitchProtocol protocol_of(Transport transport) {
  return transport == Transport::infiniband ? SwitchProtocol::infiniband : SwitchProtocol::ethernet;
}

void read_switch_models(FabricSpec& fabric, const std::string& file,
                        std::vector<Diagnostic>& problems) {
  const std::array<std::pair<std::string_view, const std::string*>, 3> names{
      {{"switch_model", &fabric.switch_model},
       {"spine_switch_model", &fabric.spine_switch_model},
       {"core_switch_model", &fabric.core_switch_model}}};
  for (std::size_t tier = 0; tier < names.size(); ++tier) {
    const auto& [key, name] = names[tier];
    fabric.models[tier] = tier > 0 ? fabric.models[tier - 1] : std::nullopt;
    if (name->empty()) continue;
    const std::string pointer = fmt::format("/fabric/{}", key);
    try {
      fabric.models[tier] = read_switch_model(*name, file, pointer);
      if (fabric.models[tier]->protocol != protocol_of(fabric.transport))
        problems.push_back({file, pointer,
                            fmt::format("{} is an {} switch, but the fabric's transport is {}",
                                        *name, core::enum_name(fabric.models[tier]->protocol),
                                        core::enum_name(fabric.transport)),
                            "change the switch, or transport"});
    } catch (const InputError& error) {
      problems.insert(problems.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }
}

SwitchModel largest_switch(SwitchProtocol protocol, Bandwidth speed) {
  std::optional<SwitchModel> largest;
  for (const std::string& name : core::config_names("switches")) {
    SwitchModel model = read_switch_model(name);
    const auto ports = ports_at(model, speed);
    if (model.protocol != protocol || model.modular || !ports) continue;
    if (!largest || *ports > *ports_at(*largest, speed) ||
        (*ports == *ports_at(*largest, speed) &&
         model.ports.front().speed < largest->ports.front().speed))
      largest = std::move(model);
  }
  if (largest) return *largest;
  throw InputError("", "configs/switches",
                   fmt::format("no shipped {} switch has ports of {}", core::enum_name(protocol),
                               core::to_text(speed)),
                   "set 'switch_model'");
}

}  // namespace railyard::topology
