#include "hw/world/launcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <signal.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "core/diagnostic.hpp"

namespace railyard::hw {
namespace {

namespace fs = std::filesystem;

fs::path mpirun_in_path() {
  const char* path = std::getenv("PATH");
  std::string_view left = path == nullptr ? "" : path;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    fs::path program = fs::path(left.substr(0, end)) / "mpirun";
    if (access(program.c_str(), X_OK) == 0) return program;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  throw BackendError(
      "mpirun is not in PATH, and no launcher started this process; on Debian or Ubuntu: apt-get "
      "install openmpi-bin, or start with 'srun railyard-cluster bench ...'");
}

/// The child to which signals of this process are forwarded. A signal handler can only see a
/// global.
volatile sig_atomic_t g_child = 0;
void pass_on(int signal) {
  if (g_child > 0) kill(static_cast<pid_t>(g_child), signal);
}

[[noreturn]] void become(const std::vector<std::string>& words, int not_started) {
  // mpirun ends its ranks on a signal. It also gets the signal if this process is killed.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::vector<char*> values;
  values.reserve(words.size() + 1);
  for (const std::string& word : words) values.push_back(const_cast<char*>(word.c_str()));
  values.push_back(nullptr);
  execv(values[0], values.data());
  _exit(not_started);
}

}  // namespace

std::optional<Launched> launched() {
  // Open MPI; PMI of MPICH and Slurm; Slurm without PMI; the convention of torchrun.
  constexpr std::array<std::pair<const char*, const char*>, 4> kNames{
      {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
       {"PMI_RANK", "PMI_SIZE"},
       {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
       {"RANK", "WORLD_SIZE"}}};
  for (const auto& [rank, ranks] : kNames) {
    const char* own = std::getenv(rank);
    const char* all = std::getenv(ranks);
    if (own != nullptr && all != nullptr) return Launched{std::atoi(own), std::atoi(all)};
  }
  return std::nullopt;
}

std::vector<std::string> mpirun_words(int ranks) {
  std::vector<std::string> words{mpirun_in_path().string(), "--quiet", "--oversubscribe", "-np",
                                 std::to_string(ranks)};
  if (geteuid() == 0) words.insert(words.begin() + 1, "--allow-run-as-root");
  return words;
}

int run_program(const std::vector<std::string>& words, int not_started) {
  struct sigaction passing {};
  passing.sa_handler = pass_on;
  std::array<struct sigaction, 2> before{};
  const pid_t child = fork();
  if (child < 0) throw BackendError(fmt::format("fork: {}", std::strerror(errno)));
  if (child == 0) become(words, not_started);
  g_child = child;
  sigaction(SIGINT, &passing, &before[0]);
  sigaction(SIGTERM, &passing, &before[1]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  g_child = 0;
  sigaction(SIGINT, &before[0], nullptr);
  sigaction(SIGTERM, &before[1], nullptr);
  if (!WIFEXITED(status)) {
    throw BackendError(fmt::format("{} ended by signal {}", words[0], WTERMSIG(status)));
  }
  return WEXITSTATUS(status);
}

}  // namespace railyard::hw
