#include "placement/model/model_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"

namespace railyard::placement {

ModelJob job_of_model(const std::string& model, std::optional<int> batch) {
  const auto jobs = core::config_names("jobs");
  if (std::ranges::find(jobs, model) != jobs.end()) {
    Job job = read_job(model);
    if (batch) job.batch = *batch;
    std::string note = fmt::format(
        "the job of configs/jobs/{} gives batch, sequence and precision: a batch of {} "
        "sequences of {} tokens",
        model, job.batch, job.sequence);
    return {std::move(job), std::move(note)};
  }
  Job job;
  job.model = read_model(model);
  job.name = job.model.name;
  job.model_name = model;
  job.sequence = job.model.sequence;
  if (job.sequence == 0)
    throw InputError("", "--model", job.name + " has no sequence length", "--job FILE");
  // Llama 2 (arXiv 2307.09288, section 2.2): a global batch of 4M tokens.
  constexpr int kTokensPerStep = 4'194'304;
  job.batch = batch.value_or(std::max(1, kTokensPerStep / job.sequence));
  if (batch) return {std::move(job), {}};
  std::string note = fmt::format(
      "a batch of {} sequences of {} tokens (4M tokens per step, as Llama 2: arXiv "
      "2307.09288); set it with --batch",
      job.batch, job.sequence);
  return {std::move(job), std::move(note)};
}

}  // namespace railyard::placement
