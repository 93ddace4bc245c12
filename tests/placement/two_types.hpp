#pragma once

#include "placement/cost/gpu_type.hpp"
#include "placement/search/search.hpp"

namespace railyard::placement {

/// A job on `gpus` GPUs of each of two types, with formulas for their collectives.
struct TwoTypes {
  Job job{};
  std::vector<GpuType> types{};
  std::vector<ClosedForm> forms{};
  std::vector<const CommunicationModel*> models{};

  TwoTypes(Job its_job, const std::string& first, const std::string& second, int gpus, int of_node)
      : job(std::move(its_job)) {
    using namespace literals;
    for (const std::string& name : {first, second}) {
      const NodeFabric fabric{.gpus_per_node = static_cast<std::uint32_t>(of_node),
                              .nvlink = 240_GBps,
                              .nics = types.empty() ? 200_GBps : 100_GBps,
                              .nic_count = static_cast<std::uint32_t>(of_node),
                              .overheads = {}};
      GpuType type{.gpu = read_processor(name), .fabric = fabric, .node = name};
      for (int i = 0; i < gpus; ++i)
        type.free.emplace_back(static_cast<std::size_t>(i) + types.size() * 1000);
      types.push_back(std::move(type));
    }
    for (const GpuType& type : types) forms.emplace_back(type.fabric);
    for (ClosedForm& form : forms) models.push_back(&form);
  }

  [[nodiscard]] CostContext context() const { return cost_context(job, types, models); }
};

/// The strategy over these classes of replicas.
inline Strategy over(Strategy s, std::vector<PipelineClass> classes) {
  s.classes = std::move(classes);
  return s;
}

/// --fix of a text.
inline GivenStrategy given(const std::string& text) {
  GivenStrategy fix;
  fix.given = parse_strategy(text, "--fix", fix.strategy);
  return fix;
}

/// Five small layers; a sequence whose half is a prime, so that nothing divides it.
inline Job five_layers(int batch) {
  Job job{.name = "small", .batch = batch, .sequence = 2042};
  job.model = {.name = "small",
               .layers = 5,
               .hidden = 2048,
               .ffn = 8192,
               .heads = 16,
               .vocabulary = 32000,
               .sequence = 2042,
               .tied_embeddings = false};
  return job;
}

}  // namespace railyard::placement
