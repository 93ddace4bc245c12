#include "apps/place/search_space.hpp"

#include <array>
#include <vector>

#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using placement::SearchSpace;
using Name = std::pair<std::string_view, std::string_view>;

constexpr std::array<Name, 7> kNames{
    {{"zero_bubble", "the schedule ZB-H1"},
     {"dualpipe", "the schedule of DeepSeek-V3"},
     {"ep_overlap", "all-to-all beside another micro-batch"},
     {"shard_groups", "copies of sharded state in groups of every size"},
     {"sharded_stages", "ZeRO 2 and 3 with pipelines"},
     {"uneven_stages", "layers dealt so that embedding and head weigh what they take"},
     {"all", "all of these"}}};
constexpr std::array<bool SearchSpace::*, 6> kMembers{
    &SearchSpace::zero_bubble,  &SearchSpace::dualpipe,       &SearchSpace::ep_overlap,
    &SearchSpace::shard_groups, &SearchSpace::sharded_stages, &SearchSpace::uneven_stages};
static_assert(kMembers.size() + 1 == kNames.size());

}  // namespace

std::span<const Name> further_names() { return kNames; }

SearchSpace search_space(const PlaceFlags& flags, int gpus, int top) {
  SearchSpace space{
      .gpus = gpus, .top = top, .overlap = !flags.no_overlap, .offload = flags.offload};
  for (const std::string& also : flags.also) {
    bool is_known = also == kNames.back().first;
    for (std::size_t i = 0; i < kMembers.size(); ++i) {
      if (also != kNames[i].first && also != kNames.back().first) continue;
      space.*kMembers[i] = is_known = true;
    }
    if (is_known) continue;
    std::vector<std::string_view> names;
    for (const Name& name : kNames) names.push_back(name.first);
    throw InputError("", "--also", core::unknown_name(also, names));
  }
  return space;
}

}  // namespace railyard::apps
