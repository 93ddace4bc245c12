#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>

#include "apps/cli/context.hpp"
#include "apps/nccl/choice.hpp"
#include "apps/place/background.hpp"
#include "apps/place/question.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// What runs the collectives of a question's strategies: the engine of --fidelity, with schedules
/// as NCCL would choose them, on what is broken by flags and what other jobs leave.
class PlaceEngine {
 public:
  /// The question must outlive it. Throws InputError for an unknown fidelity.
  PlaceEngine(const PlaceFlags& flags, const Question& question);
  PlaceEngine(const PlaceEngine&) = delete;
  PlaceEngine& operator=(const PlaceEngine&) = delete;
  [[nodiscard]] const placement::Engine& engine() const { return engine_; }
  [[nodiscard]] std::string_view name() const { return executor_->name(); }
  /// What other jobs take of its links, a sentence; empty where they are not in the way.
  [[nodiscard]] const std::string& others() const { return others_; }

 private:
  PlaceEngine(const PlaceFlags& flags, const Question& question,
              std::vector<topology::Degradation> taken);
  std::string others_;
  std::unique_ptr<collectives::Executor> analytic_, executor_;
  Chooser chooser_;
  placement::Engine engine_;
};

/// How runs of strategies went.
struct RunsSummary {
  std::set<std::string> refused{};  ///< reasons of those that were not run
  std::size_t ran = 0;
  std::span<const placement::Slowdown> slowdowns{};  ///< of the first
};
/// Of what verify_search returned, which must live as long.
[[nodiscard]] RunsSummary summary_of(std::span<const placement::Verified> found);

/// A line on standard error that the result keeps too.
void note(Provenance& provenance, Context& context, std::string text);
/// How many were run and by what, why others were not, what slows what in the first.
void note_runs(const RunsSummary& summary, const PlaceEngine& engine, Provenance& provenance,
               Context& context);

/// How many of a search's best are simulated where no flag says so.
inline constexpr int kVerified = 20;
/// A search keeps so many for each that is simulated, to find different splits among them.
inline constexpr int kKeptPerRun = 10;

}  // namespace railyard::apps
