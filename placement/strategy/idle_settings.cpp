#include "placement/strategy/idle_settings.hpp"

#include <fmt/format.h>

#include <array>

namespace railyard::placement {
namespace {

struct Idle {
  std::string_view setting, why;
  bool (*is_idle)(const Job& job, const Strategy& s);
};

using JobRef = const Job&;
using StrategyRef = const Strategy&;

constexpr std::array kIdle{
    Idle{"recompute=selective", "flash attention does not store scores that could be recomputed",
         [](JobRef j, StrategyRef s) {
           return s.recompute == Recompute::selective && j.attention != AttentionKernel::unfused;
         }},
    Idle{"early_stop=true", "it applies only to recompute=full",
         [](JobRef, StrategyRef s) { return s.early_stop && s.recompute != Recompute::full; }},
    Idle{"context", "cp is 1",
         [](JobRef, StrategyRef s) { return s.context != ContextKind::ring && s.cp == 1; }},
    Idle{"zero", "there is one replica",
         [](JobRef j, StrategyRef s) {
           return s.zero > 0 && s.replicas() == 1 && (!j.model.moe || s.expert_replicas() == 1);
         }},
    Idle{"shard_group", "it applies only to ZeRO (zero=1, 2 or 3)",
         [](JobRef, StrategyRef s) { return s.shard_group > 0 && s.zero == 0; }},
    Idle{"schedule", "there is one stage",
         [](JobRef, StrategyRef s) {
           return s.pp == 1 && s.schedule != PipelineSchedule::one_f_one_b;
         }},
    Idle{"even_ends=true", "there is one stage",
         [](JobRef, StrategyRef s) { return s.even_ends && s.pp == 1; }},
    Idle{"tp_overlap=true", "tp is 1",
         [](JobRef, StrategyRef s) { return s.tp_overlap && s.tp == 1; }},
    Idle{"dp_overlap=true", "there is one replica",
         [](JobRef j, StrategyRef s) {
           return s.dp_overlap && s.replicas() == 1 && (!j.model.moe || s.expert_replicas() == 1);
         }},
    Idle{"pp_overlap=true", "there is one stage",
         [](JobRef, StrategyRef s) { return s.pp_overlap && s.pp == 1; }},
    Idle{"ep_overlap=true", "ep is 1",
         [](JobRef, StrategyRef s) { return s.ep_overlap && s.ep == 1; }},
};

}  // namespace

std::vector<std::string> idle_settings(const Job& job, const Strategy& strategy) {
  std::vector<std::string> texts;
  for (const Idle& one : kIdle)
    if (one.is_idle(job, strategy))
      texts.push_back(fmt::format("{} does nothing: {}", one.setting, one.why));
  return texts;
}

}  // namespace railyard::placement
