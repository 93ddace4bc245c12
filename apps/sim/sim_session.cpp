#include "apps/sim/sim_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/cli/announcer.hpp"
#include "apps/cli/interruptible.hpp"
#include "apps/cli/setting.hpp"
#include "apps/cli/thread_flag.hpp"
#include "apps/output/routing_columns.hpp"
#include "collectives/verifier/verify.hpp"
#include "core/diagnostic.hpp"

namespace railyard::apps {
namespace {

/// Verifies a schedule and prints its errors. Returns false if it has any.
bool is_proven(const collectives::Schedule& schedule, const Context& context) {
  // The time of verification is proportional to the number of transfers times their number of
  // blocks (collectives/verifier/verify.hpp).
  constexpr std::uint32_t kMostRanks = 1024;
  if (schedule.group().size() > kMostRanks) {
    throw InputError(
        "", "--verify", fmt::format("does not support more than {} ranks", kMostRanks),
        "verify with fewer ranks (--gpus): schedules have the same structure at any size");
  }
  const std::vector<std::string> problems = collectives::verify(schedule);
  for (const std::string& problem : problems) {
    print_error(context, fmt::format("schedule '{}': {}", schedule.algorithm(), problem));
  }
  return problems.empty();
}

}  // namespace

SimSession::SimSession(const SimFlags& flags, Context& context)
    : flags_(flags),
      context_(context),
      provenance_{.command = command_without_threads(context)},
      remaining_(context),
      simulation_(
          flags, provenance_,
          [this](const sim::RunProgress& progress) {
            if (shows_run_) remaining_.show(progress);
            return !was_interrupted();
          },
          announcer(context)),
      result_(flags, simulation_, provenance_, context) {
  provenance_.seed = simulation_.seed();
  add_facts(flags.cluster, simulation_.cluster(), provenance_);
  add_routing_facts(simulation_.routing(), provenance_);
}

collectives::Schedule SimSession::schedule(std::shared_ptr<const collectives::Group> group,
                                           const CollectiveFlags& flags, Bytes bytes) {
  collectives::Schedule schedule = simulation_.schedule(std::move(group), flags, bytes);
  if (flags_.verify) proven_ = is_proven(schedule, context_) && proven_;
  return schedule;
}

collectives::MessageTasks SimSession::messages(const std::vector<std::string>& traffic,
                                               const char* flag, std::uint64_t seed) {
  collectives::MessageTasks messages = simulation_.messages(traffic, flag, seed);
  const bool has_classes = std::ranges::any_of(messages.classes, [](auto c) { return c > 0; });
  if (has_classes && flags_.fidelity != "packet")
    throw InputError("", flag, "traffic classes apply to packet simulation",
                     "--fidelity packet, or leave out class=N");
  const bool has_reads = std::ranges::find(messages.reads, true) != messages.reads.end();
  if (has_reads && flags_.fidelity != "packet")
    throw InputError("", flag, "RDMA reads apply to packet simulation",
                     "--fidelity packet, or leave out verb=read");
  return messages;
}

int SimSession::write(std::string_view kind, RowTable rows) {
  result_.write(kind, std::move(rows));
  return proven_ ? ExitCode::done : ExitCode::finding;
}

}  // namespace railyard::apps
