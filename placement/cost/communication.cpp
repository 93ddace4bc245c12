#include "placement/cost/communication.hpp"

namespace railyard::placement {

std::string_view name_of(GroupRole role) {
  static constexpr std::array<std::string_view, kGroupRoles.size()> kNames{
      "tp",       "cp", "ep", "pp", "dp", "dp", "copies", "expert dp", "expert dp", "expert copies",
      "embedding"};
  return kNames[static_cast<std::size_t>(role)];
}

bool connects_replicas(GroupRole role) { return role >= GroupRole::data; }

}  // namespace railyard::placement
