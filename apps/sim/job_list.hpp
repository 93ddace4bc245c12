#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/cli/flag_groups.hpp"
#include "collectives/schedule/group.hpp"
#include "core/units.hpp"
#include "topology/cluster/cluster.hpp"

namespace railyard::apps {

/// A collective among several that run at the same time.
struct Job {
  std::string name;
  std::shared_ptr<const collectives::Group> group;
  CollectiveFlags flags;  ///< with what the job's text changes; one size, in `bytes`
  Time start;
};

/// Reads values of --job: "name=a,ranks=0-63,collective=all_reduce,bytes=1G,start=2 ms"; keys that
/// a job leaves out are those of the command line. Throws InputError with every problem.
[[nodiscard]] std::vector<Job> parse_jobs(const topology::Cluster& cluster,
                                          const std::vector<std::string>& texts,
                                          const CollectiveFlags& defaults);

/// Splits a group as NCCL_TESTS_SPLIT does: "DIV 8" makes groups of eight neighbours, "MOD 8" eight
/// groups of every eighth rank; each is a job named after its number.
[[nodiscard]] std::vector<Job> split_jobs(const topology::Cluster& cluster,
                                          const collectives::Group& group, const std::string& text,
                                          const CollectiveFlags& flags);

}  // namespace railyard::apps
