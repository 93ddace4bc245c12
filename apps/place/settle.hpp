#pragma once

#include <vector>

#include "apps/place/question.hpp"
#include "placement/simulate/verify_search.hpp"

namespace railyard::apps {

/// A strategy where it runs, and its step there.
struct Settled {
  placement::Verified run;
  placement::Mapping mapping;

  /// As simulated, or by formula where that could not be.
  [[nodiscard]] Time step() const;
};

/// The strategy on the best of these mappings, simulated beside what other jobs of the question
/// send.
[[nodiscard]] Settled run_on(const PlaceFlags& flags, Question& question,
                             const placement::Strategy& strategy,
                             std::vector<placement::Mapping> mappings);
/// The same on those of the question's free GPUs that are best for it.
[[nodiscard]] Settled settle(const PlaceFlags& flags, Question& question,
                             const placement::Strategy& strategy);

/// What a job whose step takes so many seconds sends in one, as traffic of GPUs of the cluster.
[[nodiscard]] std::vector<placement::Traffic> traffic_per_second(
    const placement::Job& job, const placement::Strategy& strategy,
    const placement::Mapping& mapping, double step);

}  // namespace railyard::apps
