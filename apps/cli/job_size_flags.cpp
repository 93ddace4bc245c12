#include "apps/cli/job_size_flags.hpp"

#include <fmt/format.h>

namespace railyard::apps {

Flag add_batch_flag(FlagSet app, std::optional<int>& batch, const char* otherwise) {
  return app
      .add_option("--batch", batch, fmt::format("Sequences per step [as in the job{}]", otherwise))
      .check(positive_number())
      .type_name("N");
}

void add_job_size_flags(FlagSet app, std::optional<int>& batch, std::optional<int>& sequence) {
  (void)add_batch_flag(app, batch, "; else 4M tokens");
  app.add_option("--sequence", sequence,
                 "Tokens per sequence [as in the job; else the model's, at most 8192]")
      .check(positive_number())
      .type_name("N");
}

}  // namespace railyard::apps
