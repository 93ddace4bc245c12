#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "collectives/schedule/group.hpp"
#include "core/units.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// One of several concurrent collectives.
struct Job {
  std::string name;
  std::shared_ptr<const collectives::Group> group;
  CollectiveFlags flags;  ///< the command's flags with the job's changes; one size, in `bytes`
  Time start;
};

/// Parses values of --job: "name=a,ranks=0-63,collective=all_reduce,bytes=1G,start=2 ms". Missing
/// keys have the values of the command line. Throws InputError with every problem.
[[nodiscard]] std::vector<Job> parse_jobs(const topology::Cluster& cluster,
                                          const std::vector<std::string>& texts,
                                          const CollectiveFlags& defaults);

/// Splits a group as NCCL_TESTS_SPLIT does: "DIV 8" makes groups of eight neighbours, "MOD 8" makes
/// eight groups of every eighth rank. Each group is a job with its number as name.
[[nodiscard]] std::vector<Job> split_jobs(const topology::Cluster& cluster,
                                          const collectives::Group& group, const std::string& text,
                                          const CollectiveFlags& flags);

}  // namespace railyard::apps
