#include "apps/bench/pair_bench.hpp"

#include <optional>
#include <string>
#include <vector>

#include "apps/bench/pair_rows.hpp"
#include "apps/cli/progress.hpp"
#include "apps/output/result_output.hpp"
#include "hw/pairs/pair_bandwidths.hpp"

namespace railyard::apps {

int bench_pairs(const BenchFlags& flags, hw::LiveBackend& backend, BenchSetting& setting,
                Bytes bytes, const Provenance& provenance, Context& context) {
  std::optional<Progress> progress;
  const auto on_round = [&](std::size_t rounds) {
    if (!progress) progress.emplace(context, rounds);
    progress->next("pairs");
  };
  const auto rows = hw::measure_pairs(backend, setting.hosts(), setting.group(),
                                      {.bytes = bytes,
                                       .repetition = flags.repetition,
                                       .seed = setting.seed(),
                                       .alone = flags.alone},
                                      on_round);
  progress.reset();
  if (backend.world().process() != 0) return ExitCode::done;
  write_result({.kind = "matrix",
                .provenance = provenance,
                .rows = tabulate_pairs(rows),
                .sections = {{"rails", tabulate_rails(hw::rail_bandwidths(rows))}}},
               flags.output, context);
  const std::vector<std::string> slow = hw::slow_pairs(rows);
  for (const std::string& pair : slow) print_error(context, "slow: " + pair);
  return slow.empty() ? ExitCode::done : ExitCode::finding;
}

}  // namespace railyard::apps
