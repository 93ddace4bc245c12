#pragma once

#include "apps/cli/context.hpp"
#include "apps/place/place_request.hpp"

namespace railyard::apps {

/// Whether a problem has several types of GPU, or --fix says which stages are on which.
[[nodiscard]] bool is_mixed(const PlaceRequest& request, const placement::PlaceProblem& problem);

/// `place` over several types of GPU: strategies with layers by stage and micro-batches by replica
/// (placement/mixed), what each type does in the best, and what the job would take otherwise.
/// Returns an exit code. Throws InputError for flags that need GPUs of one type.
int run_mixed(const PlaceRequest& request, const placement::PlaceProblem& problem,
              Provenance& provenance, Context& context);

}  // namespace railyard::apps
