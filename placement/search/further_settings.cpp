#include "placement/search/further_settings.hpp"

#include <array>
#include <vector>

#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"

namespace railyard::placement {
namespace {

using Name = std::pair<std::string_view, std::string_view>;

constexpr std::array<Name, 8> kNames{
    {{"zero_bubble", "pipeline schedule ZB-H1"},
     {"dualpipe", "pipeline schedule of DeepSeek-V3"},
     {"ep_overlap", "all-to-all overlapped with another micro-batch, also in 1F1B without chunks"},
     {"shard_groups", "state sharded within groups of every size, replicated between them"},
     {"sharded_stages", "ZeRO 2 and 3 with pipelines"},
     {"uneven_stages", "stages balanced by cost, embedding and output head included"},
     {"recompute_operations", "norms and activation functions recomputed, also without experts"},
     {"all", "all of these"}}};
constexpr std::array<bool SearchSpace::*, 7> kMembers{
    &SearchSpace::zero_bubble,         &SearchSpace::dualpipe,       &SearchSpace::ep_overlap,
    &SearchSpace::shard_groups,        &SearchSpace::sharded_stages, &SearchSpace::uneven_stages,
    &SearchSpace::recompute_operations};
static_assert(kMembers.size() + 1 == kNames.size());

}  // namespace

std::span<const Name> further_names() { return kNames; }

SearchSpace search_space(std::span<const std::string> also, bool overlap, bool offload) {
  SearchSpace space{.overlap = overlap, .offload = offload};
  for (const std::string& one : also) {
    const bool is_all = one == kNames.back().first;
    bool is_known = is_all;
    for (std::size_t i = 0; i < kMembers.size(); ++i) {
      if (one != kNames[i].first && !is_all) continue;
      space.*kMembers[i] = is_known = true;
    }
    if (is_known) continue;
    std::vector<std::string_view> names;
    for (const Name& name : kNames) names.push_back(name.first);
    throw InputError("", "--also", core::unknown_name(one, names));
  }
  return space;
}

}  // namespace railyard::placement
