#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/cli/context.hpp"
#include "apps/place/question.hpp"
#include "placement/jobs/elastic.hpp"

namespace railyard::apps {

/// What a running job may become, and what that takes.
struct ElasticOption {
  std::string name{};
  int gpus = 0;
  Time step{};
  bool fits = false;
  std::string text{};  ///< for --fix
  placement::Strategy strategy{};
  placement::Mapping mapping{};
  placement::Moves moves{};
  Time move{};
  std::optional<Time> pays{};
};

/// What runs before, and how many GPUs are there after.
struct ElasticBefore {
  Time step{};
  int gpus = 0;
  std::size_t left = 0;
};

/// The question about the cluster with the nodes of --added.
[[nodiscard]] Question grown_question(const PlaceFlags& flags, const Question& now,
                                      Provenance& provenance);
/// The GPUs that are left, as many as the job may have: with --gpus no more than it has (and the
/// added), those that it is on first.
[[nodiscard]] std::vector<Rank> gpus_left(const PlaceFlags& flags, const Question& question,
                                          const placement::Mapping& before);
/// When each option pays against the first: what runs on, or what moves least after a restart.
void pay_off(const PlaceFlags& flags, std::vector<ElasticOption>& options);
/// Prints the options, of which there must be one, and returns the fastest.
const ElasticOption& write_options(const PlaceFlags& flags, const Provenance& provenance,
                                   std::span<const ElasticOption> options,
                                   const ElasticBefore& before, Context& context);

/// What a running job (--fix or --from-megatron) should become when nodes are lost (--lost) or
/// added
/// (--added): the same split over fewer or more replicas, and the fastest strategy, with what has
/// to move and when that pays. Returns the exit code: 1 where nothing fits any more.
int run_elastic(const PlaceFlags& flags, Context& context);

}  // namespace railyard::apps
