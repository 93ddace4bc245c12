#include "core/config/config_path.hpp"
#include "core/diagnostic.hpp"
#include "placement/model/job.hpp"
#include "placement/model/job_fields.hpp"

namespace railyard::placement {

Job read_job(const std::string& reference) {
  const auto path = core::resolve_config(reference, "jobs");
  Job job = core::read_config<Job>(path);
  job.model = read_model(job.model_name, path.string());
  if (job.sequence == 0) job.sequence = job.model.sequence;
  if (job.sequence == 0)
    throw InputError(path.string(), "/sequence",
                     "neither the job nor its model contains the length of a sequence",
                     "\"sequence\": 2048");
  if (job.encoder_sequence > 0) {
    if (!job.model.encoder)
      throw InputError(path.string(), "/encoder_sequence", job.model.name + " has no encoder",
                       "leave it out");
    job.model.encoder->tokens = job.encoder_sequence;
  }
  if (job.fp8_act_input && job.model.mlp != Mlp::swiglu)
    throw InputError(path.string(), "/fp8_act_input",
                     "only the activation swiglu can keep its inputs in 8 bit, but " +
                         job.model.name + " has another activation",
                     "leave it out");
  return job;
}

}  // namespace railyard::placement
