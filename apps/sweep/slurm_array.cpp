#include "apps/sweep/slurm_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "apps/cli/shell_words.hpp"
#include "core/config/names.hpp"

namespace railyard::apps {

std::string shard_database(const std::string& database, const std::string& shard) {
  const std::filesystem::path path(database);
  return (path.parent_path() /
          (path.stem().string() + ".shard" + shard + path.extension().string()))
      .string();
}

std::string slurm_array(const std::vector<std::string>& words, const std::string& database,
                        int shards, int threads) {
  const std::string marked = core::shell_word(shard_database(database, "@"));
  std::string own = marked;
  own.replace(own.find('@'), 1,
              marked.front() == '\'' ? "'\"$SLURM_ARRAY_TASK_ID\"'" : "\"$SLURM_ARRAY_TASK_ID\"");
  std::string all;
  for (int shard = 0; shard < shards; ++shard)
    all += ' ' + core::shell_word(shard_database(database, std::to_string(shard)));
  return fmt::format(
      "#!/bin/bash\n"
      "# A sweep of railyard as an array of {0} jobs without MPI. Submit it with sbatch; submit it "
      "again to\n"
      "# resume. When all have ended, join their databases:\n"
      "#   railyard sweep merge {1}{2}\n"
      "#SBATCH --job-name=railyard-sweep\n"
      "#SBATCH --array=0-{3}\n"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --cpus-per-task={4}\n"
      "set -euo pipefail\n"
      "exec railyard sweep --shard \"$SLURM_ARRAY_TASK_ID/{0}\" --threads {4} --db {5}{6}\n",
      shards, core::shell_word(database), all, shards - 1, std::max(threads, 1), own,
      shell_words(words));
}

}  // namespace railyard::apps
