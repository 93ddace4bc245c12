#include "topology/cluster/read_launch_mode.hpp"

#include <algorithm>
#include <vector>

#include "core/config/config_path.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "topology/cluster/launch_mode_fields.hpp"

namespace railyard::topology {

LaunchCost read_launch_cost(const std::string& mode, const std::string& pointer) {
  if (mode == "none") return {};
  const std::vector<std::string> modes = core::config_names("launch_modes");
  if (std::ranges::find(modes, mode) != modes.end())
    return core::read_config<LaunchMode>(core::resolve_config(mode, "launch_modes")).cost();
  std::vector<std::string_view> names(modes.begin(), modes.end());
  names.emplace_back("none");
  throw InputError("", pointer, core::unknown_name(mode, names));
}

}  // namespace railyard::topology
