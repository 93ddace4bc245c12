#include "apps/bench/bench_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "apps/bench/workload_bench.hpp"
#include "apps/cli/flag_value.hpp"
#include "apps/cli/launcher.hpp"
#include "apps/cli/setting.hpp"
#include "apps/cli/shell_words.hpp"
#include "core/config/enum_names.hpp"
#include "core/diagnostic.hpp"
#include "hw/world/launcher.hpp"

namespace railyard::apps {
namespace {

constexpr int kLocalRanks = 8;

/// --gpus, or without a launcher the ranks of the workload.
std::optional<int> asked_ranks(const BenchFlags& flags) {
  if (flags.gpus || flags.workload.empty() || hw::launched()) return flags.gpus;
  return static_cast<int>(workload_of(flags).ranks());
}

}  // namespace

const hw::BackendEntry* find_backend(const Context& context, std::string_view name) {
  const auto found = std::ranges::find(context.backends, name, &hw::BackendEntry::name);
  return found == context.backends.end() ? nullptr : &*found;
}

std::optional<int> run_elsewhere(const BenchFlags& flags, std::string_view name,
                                 const Context& context) {
  if (name != "local" && name != "mpi" && name != "nccl") {
    throw InputError("", "--backend",
                     core::unknown_name(std::string(name), {"local", "mpi", "nccl"}));
  }
  const bool is_here = find_backend(context, name) != nullptr;
  const bool is_cluster_program = context.command.starts_with("railyard-cluster");
  if (is_here && (name != "mpi" || hw::launched())) return std::nullopt;
  if (!is_here && is_cluster_program) {
    throw BackendError(fmt::format(
        "--backend {}: not part of this build; on Debian or Ubuntu: {}, then configure and build "
        "again",
        name,
        name == "mpi" ? "apt-get install libopenmpi-dev openmpi-bin" : "see docs/models/live.md"));
  }
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  return run_cluster_program(asked_ranks(flags).value_or(std::max(2, cores)), name == "mpi",
                             context);
}

hw::LiveOptions live_options(const BenchFlags& flags, std::string_view name, Context& context) {
  hw::LiveOptions options{.threads = flags.threads,
                          .timeout = flag_value(core::parse_time(flags.timeout), "--timeout")};
  options.gpu = flags.gpu;
  options.command = shell_words(context.arguments);
  if (!flags.segment.empty()) options.segment = size_of_flag(flags.segment, "--segment");
  options.ranks =
      static_cast<std::uint32_t>(asked_ranks(flags).value_or(name == "local" ? kLocalRanks : 0));
  if (flags.in_flight) options.in_flight = static_cast<std::uint32_t>(*flags.in_flight);
  options.fail = [&context](const std::string& error) {
    print_error(context, error);
    context.err.flush();
    context.abandon(ExitCode::backend_missing);
  };
  return options;
}

void set_environment(const BenchFlags& flags) {
  for (const std::string& setting : flags.environment) {
    const std::size_t equals = setting.find('=');
    if (!setting.starts_with("NCCL_") || equals == std::string::npos)
      throw InputError("", "--env", fmt::format("'{}' is not NCCL_NAME=VALUE", setting));
    setenv(setting.substr(0, equals).c_str(), setting.c_str() + equals + 1, 1);
  }
}

}  // namespace railyard::apps
