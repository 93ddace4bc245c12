#include "apps/explain/tuning_output.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "apps/cli/progress.hpp"
#include "apps/cli/setting.hpp"
#include "apps/explain/tuner_rows.hpp"
#include "apps/output/result_output.hpp"
#include "collectives/nccl/tuner/tuner_files.hpp"
#include "core/size_text.hpp"

namespace railyard::apps {
namespace {

namespace nccl = collectives::nccl;

/// With ECMP hashing the mean of several seeds counts.
std::vector<std::unique_ptr<collectives::Executor>> fabric_engines(const ExplainSetting& setting) {
  constexpr std::uint64_t kSeeds = 3;
  sim::EngineOptions options = setting.engine_options("flow");
  options.timing = setting.timing;
  const bool hashed = options.routing.policy == topology::RoutingPolicy::ecmp;
  std::vector<std::unique_ptr<collectives::Executor>> engines;
  for (std::uint64_t i = 0; i < (hashed ? kSeeds : 1); ++i, ++options.routing.seed)
    engines.push_back(sim::make_engine(setting.cluster, options));
  return engines;
}

/// The sizes of -b and -e, by default 1K to 1G.
std::vector<Bytes> tuning_sizes(CollectiveFlags flags) {
  flags.bytes.clear();
  if (flags.min_bytes.empty()) flags.min_bytes = "1K";
  if (flags.max_bytes.empty()) flags.max_bytes = "1G";
  return sizes_of(flags);
}

}  // namespace

RowTable write_tuning(ExplainSetting& setting, Context& context) {
  const ExplainFlags& flags = setting.flags;
  const topology::Cluster one_switch = nccl::on_one_switch(setting.cluster);
  const auto ideal = sim::make_engine(one_switch, {.fidelity = "flow"});
  const auto engines = fabric_engines(setting);
  const nccl::TuningFabric fabric{.chooser = setting.chooser,
                                  .engines = engines,
                                  .pace = setting.timing.get(),
                                  .one_switch = ideal.get(),
                                  .group = setting.asked.group};
  const std::vector<Bytes> sizes = tuning_sizes(flags.collective);
  Progress progress(context, nccl::tuning_steps(sizes));
  const nccl::TunerPlan plan = plan_tuning(fabric, sizes, [&](collectives::Kind kind, Bytes size) {
    progress.next(fmt::format("{} {}", to_text(kind), core::size_text(size.count())));
  });
  const std::string about = fmt::format("{}: {} ranks on {} nodes, by railyard explain ({} times)",
                                        setting.cluster.spec().name, plan.ranks, plan.nodes,
                                        setting.timing ? "fitted" : "nominal");
  if (!flags.tuner_csv.empty()) write_text(tuner_csv(plan, about), flags.tuner_csv, context);
  if (!flags.tuner_json.empty()) write_text(tuner_json(plan, about), flags.tuner_json, context);
  return tuner_rows(plan);
}

}  // namespace railyard::apps
