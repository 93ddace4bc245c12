#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/cli/remaining_time.hpp"
#include "apps/output/rows.hpp"
#include "apps/sim/sim_flags.hpp"
#include "apps/sim/sim_result.hpp"
#include "apps/sim/simulation.hpp"
#include "collectives/traffic/message_tasks.hpp"

namespace railyard::apps {

/// A simulation and its output; one per command.
class SimSession {
 public:
  /// Both arguments must outlive it.
  SimSession(const SimFlags& flags, Context& context);
  SimSession(const SimSession&) = delete;
  SimSession& operator=(const SimSession&) = delete;

  [[nodiscard]] const SimFlags& flags() const { return flags_; }
  [[nodiscard]] Context& context() { return context_; }
  [[nodiscard]] Simulation& simulation() { return simulation_; }
  [[nodiscard]] SimResult& result() { return result_; }
  /// The schedule of a collective. With --verify it is verified, and errors are printed.
  [[nodiscard]] collectives::Schedule schedule(std::shared_ptr<const collectives::Group> group,
                                               const CollectiveFlags& flags, Bytes bytes);
  /// The messages of --traffic or --background (`flag`), drawn from a seed. Throws InputError for
  /// traffic that the fidelity does not support.
  [[nodiscard]] collectives::MessageTasks messages(const std::vector<std::string>& traffic,
                                                   const char* flag, std::uint64_t seed);
  /// Shows progress inside the next run, which must be a single one.
  void show_run() { shows_run_ = true; }
  /// Removes that progress.
  void hide_run() { remaining_.erase(); }
  /// Writes the rows. Returns the exit code: 1 if --verify found an error.
  [[nodiscard]] int write(std::string_view kind, RowTable rows);

 private:
  const SimFlags& flags_;
  Context& context_;
  Provenance provenance_;
  RemainingTime remaining_;
  bool shows_run_ = false;
  Simulation simulation_;
  SimResult result_;
  bool proven_ = true;
};

}  // namespace railyard::apps
