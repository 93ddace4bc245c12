#pragma once

#include <span>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/place/place_request.hpp"
#include "placement/jobs/elastic_options.hpp"

namespace railyard::apps {

/// The job as it runs before, and how many GPUs it may use after.
struct ElasticBefore {
  Time step{};
  int gpus = 0;
  std::size_t left = 0;
};

/// The problem on the cluster with the nodes of --added, for the same job.
[[nodiscard]] placement::PlaceProblem grown_problem(const PlaceRequest& request,
                                                    const placement::PlaceProblem& now);
/// The GPUs that the job may use after: those not lost; with --gpus at most as many as it has and
/// the added ones. Throws InputError where the job runs on no lost node.
[[nodiscard]] std::vector<Rank> gpus_after(const PlaceRequest& request,
                                           const placement::PlaceProblem& problem,
                                           const placement::Mapping& before);
/// Sets payback times, prints the options, of which there must be one, and returns the fastest.
const placement::ElasticOption& write_options(const PlaceRequest& request,
                                              const Provenance& provenance,
                                              std::span<placement::ElasticOption> options,
                                              const ElasticBefore& before, Context& context);

/// Throws InputError where the flags do not apply to a running job (`place --lost` and `--added`).
void check_elastic(const PlaceRequest& request);

/// What a running job can change to when nodes are lost or added, the bytes that move, and the
/// payback time; for one type of GPU. Returns the exit code: 1 where nothing fits any more.
int run_elastic(const PlaceRequest& request, placement::PlaceProblem problem,
                Provenance& provenance, Context& context);

}  // namespace railyard::apps
