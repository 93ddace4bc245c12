#include "placement/job.hpp"

#include "core/config_path.hpp"
#include "core/diagnostic.hpp"
#include "placement/job_fields.hpp"

namespace railyard::placement {

Job read_job(const std::string& reference) {
  const auto path = core::resolve_config(reference, "jobs");
  Job job = core::read_config<Job>(path);
  job.model = read_model(job.model_name, path.string());
  if (job.sequence == 0) job.sequence = job.model.sequence;
  if (job.sequence == 0)
    throw InputError(path.string(), "/sequence",
                     "neither the job nor its model says how long a sequence is",
                     "\"sequence\": 2048");
  return job;
}

}  // namespace railyard::placement
