#include "apps/cli/job_size_flags.hpp"

namespace railyard::apps {

void add_job_size_flags(FlagSet app, std::optional<int>& batch, std::optional<int>& sequence) {
  app.add_option("--batch", batch, "Sequences per step [as in the job; else 4M tokens]")
      .check(positive_number())
      .type_name("N");
  app.add_option("--sequence", sequence,
                 "Tokens per sequence [as in the job; else the model's, at most 8192]")
      .check(positive_number())
      .type_name("N");
}

}  // namespace railyard::apps
