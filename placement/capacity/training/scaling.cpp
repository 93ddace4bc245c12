#include "placement/capacity/training/scaling.hpp"

#include <array>
#include <string_view>

namespace railyard::placement {
namespace {

struct Part {
  std::string_view name;
  double gpu_seconds;  ///< per token
};

std::array<Part, 5> parts_of(const Job& job, const ScoredStrategy& s) {
  const double scale = s.strategy.gpus() / (static_cast<double>(job.batch) * job.sequence);
  const auto part = [&](std::string_view name, Time time) {
    return Part{name, time.seconds() * scale};
  };
  const bool recomputes =
      s.strategy.recompute != Recompute::none || s.strategy.recomputes_operations();
  return {part(recomputes ? "memory" : "compute", s.step.compute),
          part("communication", s.step.exposed()), part("batch", s.step.bubble),
          part("optimizer", s.step.optimizer), part("memory", s.step.offload)};
}

}  // namespace

double scaling_efficiency(const Job& base_job, const ScoredStrategy& base, const Job& job,
                          const ScoredStrategy& scored) {
  return scored.tokens_per_s(job) / scored.strategy.gpus() /
         (base.tokens_per_s(base_job) / base.strategy.gpus());
}

std::string scaling_limit(const Job& base_job, const ScoredStrategy& base, const Job& job,
                          const ScoredStrategy& scored) {
  const auto before = parts_of(base_job, base), now = parts_of(job, scored);
  std::string_view wall = "none";
  double most = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double growth = now[i].gpu_seconds - before[i].gpu_seconds;
    if (growth <= most) continue;
    most = growth;
    wall = now[i].name;
  }
  return std::string(wall);
}

}  // namespace railyard::placement
