#include "placement/strategy/fitting_change.hpp"

#include <fmt/format.h>

#include <array>
#include <vector>

#include "placement/cost/memory.hpp"
#include "placement/strategy/strategy_check.hpp"

namespace railyard::placement {
namespace {

/// Applies a change to a strategy; returns whether it changed anything.
using Change = bool (*)(Strategy&);

bool shard_optimizer(Strategy& s) {
  if (s.zero > 0 || s.replicas() == 1) return false;
  s.zero = 1;
  return true;
}
bool cut_sequence(Strategy& s) {
  if (s.sequence_parallel || s.tp == 1) return false;
  return s.sequence_parallel = true;
}
bool recompute_all(Strategy& s) {
  if (s.recompute == Recompute::full && s.recompute_layers == 0) return false;
  s.recompute = Recompute::full;
  s.recompute_layers = 0;
  return true;
}
bool smallest_micro_batch(Strategy& s) {
  if (s.micro_batch == 1) return false;
  for (PipelineClass& one : s.classes) {
    if (one.fewer > 0) return false;
    one.micro_batches *= s.micro_batch;
  }
  s.micro_batch = 1;
  return true;
}
bool shard_all(Strategy& s) {
  if (s.zero == 3 || s.pp > 1 || s.replicas() == 1) return false;
  s.zero = 3;
  return true;
}
bool double_stages(Strategy& s) {
  if (s.dp % 2 != 0 || !s.layers.empty() || !s.classes.empty()) return false;
  s.dp /= 2;
  s.pp *= 2;
  return true;
}
bool double_tensor_ranks(Strategy& s) {
  if (s.dp % 2 != 0 || s.etp > 1 || !s.classes.empty()) return false;
  s.dp /= 2;
  s.tp *= 2;
  return true;
}

constexpr std::array<Change, 5> kChanges{shard_optimizer, cut_sequence, recompute_all,
                                         smallest_micro_batch, shard_all};

/// The settings in which `now` differs from `before`, as text.
std::string difference(const Strategy& before, const Strategy& now) {
  std::string text;
  const auto add = [&](bool differs, std::string_view key, const auto& value) {
    if (differs) text += fmt::format("{}{}={}", text.empty() ? "" : ",", key, value);
  };
  add(now.tp != before.tp, "tp", now.tp);
  add(now.pp != before.pp, "pp", now.pp);
  add(now.dp != before.dp, "dp", now.dp);
  add(now.zero != before.zero, "zero", now.zero);
  add(now.sequence_parallel != before.sequence_parallel, "sequence_parallel", true);
  add(now.micro_batch != before.micro_batch, "micro_batch", now.micro_batch);
  add(now.recompute != before.recompute, "recompute", "full");
  add(now.recompute_layers != before.recompute_layers, "recompute_layers", now.recompute_layers);
  return text;
}

struct Fit {
  const CostContext& c;
  [[nodiscard]] bool fits(const Strategy& s) const {
    return is_valid(c.job, s, s.gpus()) && fullest_gpu(c, s).fits;
  }
  /// The strategy after the smallest number of changes that makes it fit; nothing if none does.
  [[nodiscard]] std::optional<Strategy> changed(const Strategy& strategy) const {
    for (int count = 0; count <= static_cast<int>(kChanges.size()); ++count) {
      for (unsigned chosen = 0; chosen < 1U << kChanges.size(); ++chosen) {
        if (__builtin_popcount(chosen) != count) continue;
        Strategy s = strategy;
        bool all = true;
        for (std::size_t i = 0; i < kChanges.size() && all; ++i)
          if ((chosen >> i & 1U) != 0) all = kChanges[i](s);
        if (all && fits(s)) return s;
      }
    }
    return std::nullopt;
  }
};

}  // namespace

std::optional<std::string> fitting_change(const CostContext& context, const Strategy& strategy) {
  const Fit fit{context};
  if (const auto s = fit.changed(strategy)) return difference(strategy, *s);
  for (const Change wider : {double_stages, double_tensor_ranks}) {
    Strategy s = strategy;
    while (wider(s)) {
      const auto found = fit.changed(s);
      if (found) return difference(strategy, *found);
    }
  }
  return std::nullopt;
}

}  // namespace railyard::placement
