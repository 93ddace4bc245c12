#pragma once

#include "apps/cli/context.hpp"
#include "apps/place/question.hpp"

namespace railyard::apps {

/// Whether a question is about several types of GPU, or --fix says which stages are on which.
[[nodiscard]] bool is_mixed(const PlaceFlags& flags, const Question& question);

/// `place` over several types of GPU: strategies with layers by stage and micro-batches by replica
/// (placement/mixed), what each type does in the best, and what the job would take otherwise.
/// Returns an exit code. Throws InputError for flags that need GPUs of one type.
int run_mixed(const PlaceFlags& flags, Question& question, Provenance& provenance,
              Context& context);

}  // namespace railyard::apps
