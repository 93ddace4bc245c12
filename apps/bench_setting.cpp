#include "apps/bench_setting.hpp"

#include <fmt/format.h>

#include "apps/engine.hpp"
#include "apps/setting.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

using collectives::Schedule;
using collectives::Task;

/// Transfers that are simulated one by one for a prediction: some seconds' worth.
constexpr std::uint64_t kMostExpanded = 100'000;

ClusterFlags predicted_cluster(const BenchFlags& flags) {
  return {.cluster = flags.predict, .nodes = flags.nodes, .gpus = {}, .ranks = flags.ranks};
}

}  // namespace

BenchSetting::BenchSetting(const BenchFlags& flags, hw::LiveBackend& backend,
                           Provenance& provenance)
    : hosts_(hosts_of(backend)),
      cluster_(flags.predict.empty() ? live_cluster(hosts_)
                                     : load_cluster(predicted_cluster(flags), provenance)),
      group_(flags.ranks.empty() ? live_group(cluster_, hosts_)
                                 : group_of(cluster_, predicted_cluster(flags))),
      analytic_(make_engine(cluster_, {.fidelity = "analytic"})),
      // MPI chooses nothing as NCCL does, and a cluster that nobody named has no NCCL.
      chooser_(flags.predict.empty() || backend.name() == "mpi"
                   ? Chooser::without_nccl(cluster_, *analytic_)
                   : Chooser(cluster_, *analytic_, {})),
      has_protocols_(backend.name() == "nccl" && !flags.predict.empty()) {
  if (group_->size() != backend.ranks()) {
    throw InputError(
        "", "--ranks",
        fmt::format("names {} ranks, and {} are live", group_->size(), backend.ranks()));
  }
  if (flags.predict.empty()) return;
  predictor_ = make_engine(cluster_, {.fidelity = "flow"});
  // MPI runs a schedule transfer by transfer, and not as one stream.
  if (backend.name() == "mpi")
    expanding_ = make_engine(cluster_, {.fidelity = "flow", .expand = true});
  add_facts(predicted_cluster(flags), cluster_, provenance);
}

Schedule BenchSetting::schedule(const CollectiveFlags& flags,
                                const collectives::Collective& collective) {
  auto protocol = protocol_of(flags);
  // Protocols are for networks of GPUs; memory and MPI need none but the simple one.
  if (!protocol && !has_protocols_) protocol = collectives::Protocol::simple;
  return chooser_.chosen_schedule(
      {.group = group_,
       .collective = collective,
       .algorithm = flags.algorithm == kNative ? "auto" : flags.algorithm,
       .protocol = protocol,
       .channels = flags.channels});
}

std::optional<collectives::TaskResult> BenchSetting::predicted(const Schedule& schedule) {
  if (!predictor_) return std::nullopt;
  const Task task{.schedule = &schedule, .start = Time(), .name = {}};
  const bool expands = expanding_ && schedule.transfer_count() <= kMostExpanded;
  return (expands ? expanding_ : predictor_)->run({&task, 1}).tasks.front();
}

}  // namespace railyard::apps
