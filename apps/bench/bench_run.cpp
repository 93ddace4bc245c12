#include "apps/bench/bench_run.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

#include "apps/bench/acceptance_bench.hpp"
#include "apps/bench/bench_options.hpp"
#include "apps/bench/bench_request.hpp"
#include "apps/bench/bench_setting.hpp"
#include "apps/bench/collective_bench.hpp"
#include "apps/bench/pair_bench.hpp"
#include "apps/bench/unused_flags.hpp"
#include "apps/bench/workload_bench.hpp"
#include "apps/output/result_output.hpp"
#include "hw/live_cluster.hpp"
#include "hw/world/agreement.hpp"
#include "hw/world/launcher.hpp"

namespace railyard::apps {
namespace {

void add_live_facts(hw::LiveBackend& backend, const hw::LiveHosts& hosts, Provenance& provenance) {
  std::string names;
  for (std::size_t i = 0; i < hosts.names.size(); ++i) {
    names += fmt::format("{}{} x {}", i == 0 ? "" : ", ", hosts.names[i], hosts.ranks[i]);
  }
  provenance.facts.emplace_back("backend", backend.name());
  provenance.facts.emplace_back("hosts", names);
  for (const auto& fact : backend.facts()) provenance.facts.push_back(fact);
  for (const auto& [name, value] : hw::live_environment()) {
    provenance.facts.emplace_back("env " + name, value);
  }
}

void add_notes(const BenchFlags& flags, const BenchSetting& setting, hw::World& world,
               Provenance& provenance, Context& context) {
  for (const std::string& difference : hw::environment_differences(world))
    print_note(context, "the ranks' environments differ: " + difference);
  if (flags.predict.empty() || setting.release_note().empty() || world.process() != 0) return;
  print_note(context, "predictions: " + setting.release_note());
  provenance.notes.push_back("predictions: " + setting.release_note());
}

/// Runs the command on one backend. Returns the exit code at process 0.
int run_on(hw::LiveBackend& backend, const BenchFlags& flags, Context& context) {
  Provenance provenance{.command = context.command};
  std::optional<Bandwidth> least;
  std::optional<BenchSetting> setting;
  BenchRequest request;
  hw::set_up_together(backend.world(), [&] {
    least = least_busbw(flags);
    setting.emplace(flags, backend, provenance);
    provenance.seed = setting->seed();
    request = bench_request(flags, backend.name());
  });
  add_notes(flags, *setting, backend.world(), provenance, context);
  add_live_facts(backend, setting->hosts(), provenance);
  if (flags.matrix)
    return bench_pairs(flags, backend, *setting, request.sizes.back(), provenance, context);
  if (!flags.workload.empty()) return bench_workload(flags, backend, *setting, provenance, context);
  if (flags.accept) return bench_acceptance(flags, request, backend, *setting, provenance, context);
  return CollectiveBench(flags, request, backend, *setting, context).run(least, provenance);
}

}  // namespace

int run_bench(const BenchFlags& flags, Context& context) {
  check_output(flags.output);
  const std::string name(flags.backend.empty() ? context.backends.front().name : flags.backend);
  if (name == "local" || name == "mpi" || name == "nccl") refuse_unused(flags, name);
  if (const auto code = run_elsewhere(flags, name, context)) return *code;
  set_environment(flags);
  const hw::LiveOptions options = live_options(flags, name, context);
  const std::unique_ptr<hw::LiveBackend> backend = find_backend(context, name)->open(options);
  // Process 0's exit code, for all.
  const int code = run_on(*backend, flags, context);
  return std::stoi(backend->world().broadcast(std::to_string(code)));
}

}  // namespace railyard::apps
