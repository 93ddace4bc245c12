#include "placement/model/model_job.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"

namespace railyard::placement {

namespace {

// Llama 3 trains on sequences of 8K tokens, and only at the end on longer ones (arXiv 2407.21783,
// section 3.4.1).
constexpr int kLongestSequence = 8192;

/// "a batch of 512 sequences of 8192 tokens", and the source of values that were not given.
std::string note_on(const Job& job, bool has_batch, bool has_sequence) {
  std::string note = fmt::format("a batch of {} sequences of {} tokens", job.batch, job.sequence);
  if (!has_batch)
    note += " (4M tokens per step, as Llama 2: arXiv 2307.09288); set it with --batch";
  if (!has_sequence && job.model.sequence > job.sequence)
    note += fmt::format("; the model accepts {} tokens: set the length with --sequence",
                        job.model.sequence);
  return note;
}

}  // namespace

ModelJob job_of_model(const std::string& model, std::optional<int> batch,
                      std::optional<int> sequence) {
  const auto jobs = core::config_names("jobs");
  if (std::ranges::find(jobs, model) != jobs.end()) {
    Job job = read_job(model);
    if (batch) job.batch = *batch;
    if (sequence) job.sequence = *sequence;
    const std::string_view given =
        batch ? (sequence ? "precision" : "sequence and precision")
              : (sequence ? "batch and precision" : "batch, sequence and precision");
    std::string note =
        fmt::format("the job of configs/jobs/{} gives {}: a batch of {} sequences of {} tokens",
                    model, given, job.batch, job.sequence);
    return {std::move(job), std::move(note)};
  }
  Job job;
  job.model = read_model(model);
  job.name = job.model.name;
  job.model_name = model;
  job.sequence = sequence.value_or(std::min(job.model.sequence, kLongestSequence));
  if (job.sequence == 0)
    throw InputError("", "--model", job.name + " has no sequence length", "--sequence 4096");
  // Llama 2 (arXiv 2307.09288, section 2.2): a global batch of 4M tokens.
  constexpr int kTokensPerStep = 4'194'304;
  job.batch = batch.value_or(std::max(1, kTokensPerStep / job.sequence));
  std::string note = note_on(job, batch.has_value(), sequence.has_value());
  return {std::move(job), std::move(note)};
}

}  // namespace railyard::placement
