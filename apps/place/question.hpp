#pragma once

#include <vector>

#include "apps/output/rows.hpp"
#include "apps/place/occupancy.hpp"
#include "apps/place/place_flags.hpp"
#include "placement/cost/closed_form.hpp"
#include "placement/cost/gpu_type.hpp"
#include "placement/mapping/traffic.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// Everything that a cost is computed from, and the GPUs that may be used.
struct Question {
  topology::Cluster cluster;
  topology::RoutingOptions routing;
  placement::Job job;
  placement::Processor gpu;
  placement::DimensionOrder order;
  Occupancy occupancy;
  std::vector<Rank> free;  ///< as many as the job takes, or more where nodes are to be chosen
  std::vector<Rank> all;   ///< those that the flags let it take, free or not
  int gpus = 0, gpus_per_node = 1;
  /// Of the first `gpus` free GPUs; where there are several, gpu and gpus_per_node are those of the
  /// first.
  std::vector<placement::GpuType> types{};
  /// What jobs beside it send in a second, where more is known of it than an occupancy says.
  std::vector<placement::Traffic> sent{};

  /// Prices of collectives by formula, by type.
  std::vector<placement::ClosedForm> forms{};

  /// The question must outlive it.
  [[nodiscard]] placement::CostContext context() const;
};

/// Reads what the flags name and adds it to `provenance`. Throws InputError with what is wrong.
[[nodiscard]] Question read_question(const PlaceFlags& flags, Provenance& provenance);

/// The question with other GPUs taken, on `gpus` of the free ones (0: on all). GPUs of the same
/// type alone. Throws InputError where fewer are free.
[[nodiscard]] Question with_occupancy(Question question, Occupancy occupancy, int gpus);

/// --restart; 0 where it is not given. Throws InputError for text that is no time.
[[nodiscard]] Time restart_time(const PlaceFlags& flags);

/// Throws InputError where the question's GPUs are of several types.
void require_one_type(const Question& question);

/// The one strategy of --fix or --from-megatron; dp is what the GPUs leave where it is not given.
/// Megatron's batch and sequence go into the question's job. Throws InputError with everything that
/// cannot be.
[[nodiscard]] placement::Strategy fixed_strategy(const PlaceFlags& flags, Question& question,
                                                 Provenance& provenance);

}  // namespace railyard::apps
