#pragma once

#include <string>
#include <vector>

namespace railyard::apps {

/// A job script for Slurm: an array of `shards` tasks. Each task runs its shard of the sweep into
/// its own database. `words`: the command line of the sweep, without --emit, --shards and --db.
[[nodiscard]] std::string slurm_array(const std::vector<std::string>& words,
                                      const std::string& database, int shards, int threads);

/// The database of a shard: "out.shard3.sqlite" for "out.sqlite".
[[nodiscard]] std::string shard_database(const std::string& database, const std::string& shard);

}  // namespace railyard::apps
