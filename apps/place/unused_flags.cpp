#include "apps/place/unused_flags.hpp"

#include "apps/cli/refused_flags.hpp"
#include "apps/place/place_flags.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

/// Adds a problem for each flag of the search, which does not run with a given strategy.
void refuse_for_given(const PlaceFlags& flags, Diagnostics& problems) {
  const auto refuse = [&](bool given, const char* flag, const char* hint) {
    if (given)
      problems.add(flag, "applies to a search, not to a given strategy (--fix, --from-megatron)",
                   hint);
  };
  refuse(flags.no_overlap, "--no-overlap", "tp_overlap, dp_overlap and pp_overlap in --fix");
  refuse(flags.offload, "--offload", "offload_optimizer=true and the like in --fix");
  refuse(!flags.also.empty(), "--also", "name the setting in --fix: schedule=zero_bubble");
  refuse(flags.max_batch.has_value(), "--max-batch", "--batch");
}

/// Adds a problem for flags of simulations and reports, which do not apply to a running job's
/// options.
void refuse_for_running(const PlaceFlags& flags, Diagnostics& problems) {
  refuse({{flags.max_batch.has_value(), "--max-batch"},
          {flags.wide, "--wide"},
          {flags.whole_step, "--whole-step"},
          {!flags.workload.empty(), "--workload"},
          {flags.range, "--range"},
          {flags.fidelity != PlaceFlags().fidelity, "--fidelity"},
          {flags.top.has_value(), "--top"},
          {!flags.fabric.routing.empty(), "--routing"},
          {flags.fabric.qps.has_value(), "--qps"},
          {flags.seed.has_value(), "--seed"},
          {!flags.fabric.failures.empty(), "--fail"},
          {!flags.fabric.degradations.empty(), "--degrade"}},
         "does not apply to running jobs (--lost, --added)",
         "first choose a strategy, then place it with --fix", problems);
}

}  // namespace

void refuse_unused(const PlaceFlags& flags) {
  Diagnostics problems("");
  const bool is_running = !flags.lost.empty() || flags.added.has_value();
  const bool is_given = !flags.fix.empty() || !flags.megatron.empty();
  if (is_running)
    refuse_for_running(flags, problems);
  else if (is_given && flags.queue.empty())
    refuse_for_given(flags, problems);
  if (!flags.restart.empty() && !is_running && flags.occupied.empty() && flags.queue.empty())
    problems.add("--restart", "applies to running jobs", "--lost, --added or --occupied");
  if (!flags.restart.empty() && !flags.lost.empty())
    problems.add("--restart", "changes nothing with --lost: every option restarts the job",
                 "leave it out");
  const bool simulates =
      flags.verify.value_or(is_given ? 0 : 1) > 0 || !flags.occupied.empty() || flags.whole_step;
  if (flags.fidelity != PlaceFlags().fidelity && !is_running && flags.queue.empty() && !simulates)
    problems.add("--fidelity", "applies to simulated strategies", "--verify 1, or --whole-step");
  if (!simulates && !flags.mapping && !is_running && flags.queue.empty()) {
    refuse({{!flags.fabric.routing.empty(), "--routing"},
            {flags.fabric.qps.has_value(), "--qps"},
            {flags.seed.has_value(), "--seed"}},
           "applies to simulated strategies and to searched mappings",
           "--verify 1, --whole-step, or --mapping", problems);
  }
  if (flags.timeline && flags.output.json.empty() && !is_running && flags.queue.empty())
    problems.add("--timeline", "requires --json, which contains its rows", "--json FILE");
  if (flags.emit.empty()) {
    refuse({{!flags.hosts.empty(), "--hosts"},
            {flags.cores.has_value(), "--cores"},
            {!flags.command.empty(), "--command"}},
           "applies to launch files", "--emit DIR", problems);
  }
  problems.throw_if_any();
}

}  // namespace railyard::apps
