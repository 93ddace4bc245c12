#include "apps/cli/launcher.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include "core/diagnostic.hpp"
#include "hw/world/launcher.hpp"

namespace railyard::apps {
namespace {

namespace fs = std::filesystem;

fs::path cluster_program() {
  return fs::read_symlink("/proc/self/exe").parent_path() / "railyard-cluster";
}

fs::path program_beside_this() {
  const fs::path own = fs::read_symlink("/proc/self/exe");
  const fs::path program = cluster_program();
  if (access(program.c_str(), X_OK) == 0) return program;
  throw BackendError(fmt::format(
      "railyard-cluster, which runs the backends mpi and nccl, is missing beside {}; build "
      "the target railyard-cluster, or install both to one folder",
      own.string()));
}

bool is_ours(int code) {
  return code == ExitCode::done || code == ExitCode::finding || code == ExitCode::wrong_input ||
         code == ExitCode::backend_missing || code == ExitCode::internal;
}

}  // namespace

bool cluster_program_is_there() { return access(cluster_program().c_str(), X_OK) == 0; }

int run_cluster_program(int ranks, bool by_mpirun, const Context& context) {
  std::vector<std::string> words;
  const fs::path program = program_beside_this();
  if (by_mpirun && !hw::launched()) words = hw::mpirun_words(ranks);
  words.push_back(program.string());
  words.insert(words.end(), context.arguments.begin(), context.arguments.end());
  const int code = hw::run_program(words, ExitCode::backend_missing);
  if (is_ours(code)) return code;
  print_error(context, fmt::format("{} ended with exit code {}{}", words[0], code,
                                   code > 128 ? ": a rank was killed or crashed" : ""));
  return ExitCode::backend_missing;
}

}  // namespace railyard::apps
